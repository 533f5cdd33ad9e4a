// A worker that runs networks with LiteRT (whose loader needs importScripts, so a classic worker).

const NUMBERS = { float32: Float32Array, int32: Int32Array, int8: Int8Array, uint8: Uint8Array };
let LiteRT;
const networks = new Map();

async function start() {
  // Otherwise it looks for its .wasm beside this file, and reports its start as errors.
  self.Module = { locateFile: (file) => new URL(`litert/${file}`, location).href, printErr: console.debug };
  await LiteRT.loadLiteRt(new URL("litert/litert_wasm_compat_internal.js", location).href);
}

async function load({ id, bytes }) {
  networks.get(id)?.delete();
  networks.set(id, await LiteRT.loadAndCompile(bytes, { accelerator: "wasm" }));
}

// The bytes of all outputs, one after the other. `names`: in this order.
async function run({ id, input, names }) {
  const network = networks.get(id);
  const [detail] = network.getInputDetails();
  const tensor = new LiteRT.Tensor(new NUMBERS[detail.dtype](input.buffer), [...detail.shape]);
  const outputs = await network.run([tensor]);
  tensor.delete();
  const found = network.getOutputDetails().map((one) => one.name);
  const order = names.every((name) => found.includes(name)) ? names.map((name) => found.indexOf(name)) : found.keys();
  const parts = [...order].map((k) => outputs[k].toTypedArray());
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  for (const one of outputs) one.delete();
  return bytes;
}

Promise.all([import("./worker.js"), import("./litert/index.js")]).then(([{ serve }, loaded]) => {
  LiteRT = loaded;
  serve({ start, load, run });
});
