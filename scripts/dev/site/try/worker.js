// What both workers need: answers to messages, one after the other, and how much of what they fetch has come.

export function serve(does) {
  const answer = async ({ number, call, ...words }) => {
    try {
      postMessage({ number, answer: await does[call](words) });
    } catch (error) {
      // The last line of a traceback of Python, without the exception's name.
      const said = String(error.message ?? error).trim().split("\n").at(-1);
      postMessage({ number, error: said.replace(/^\w+Error: /, "") });
    }
  };
  let last = Promise.resolve();
  onmessage = ({ data }) => { last = last.then(() => answer(data)); };
  postMessage({ ready: true });
}

// Not by a fetch that counts: browsers keep what they compiled only for answers that nobody has touched.
new PerformanceObserver((list) => {
  for (const file of list.getEntries()) postMessage({ bytes: file.decodedBodySize });
}).observe({ type: "resource", buffered: true });
