// Who answers the page of n6post studio: its server. On the project's site another file of this name does, in the browser.

export async function ask(path, body) {
  const request = body === undefined ? {} : { method: "POST", body: body instanceof Blob ? body : JSON.stringify(body) };
  let answer;
  try {
    answer = await fetch(path, request);
  } catch {
    throw new Error("n6post studio does not answer: is its command still running?");
  }
  const found = await answer.json().catch(() => ({ error: `the server's answer was ${answer.status}` }));
  if (!answer.ok) throw Object.assign(new Error(found.error), { unclear: found.unclear });
  return found;
}

// The picture with the results drawn on it; without `found` nothing.
export function showFrame(frame, found) {
  if (found) frame.src = found.picture;
  else frame.removeAttribute("src");
}
