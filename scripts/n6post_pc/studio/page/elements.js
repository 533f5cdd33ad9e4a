// What the scripts of this page share.

export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

export function svg(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// What was chosen last survives a reload.
export function keep(name, values) {
  try { localStorage.setItem(`n6post studio ${name}`, JSON.stringify(values)); } catch { /* the browser allows none */ }
}

export function kept(name) {
  try { return JSON.parse(localStorage.getItem(`n6post studio ${name}`)) ?? {}; } catch { return {}; }
}
