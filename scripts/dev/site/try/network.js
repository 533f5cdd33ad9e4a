// A worker that runs networks with LiteRT (whose loader needs importScripts, so a classic worker), or with onnx.js.

const NUMBERS = { float32: Float32Array, int32: Int32Array, int8: Int8Array, uint8: Uint8Array };
let LiteRT, onnx;
const networks = new Map();

async function start() {
  // Otherwise it looks for its .wasm beside this file, and reports its start as errors.
  self.Module = { locateFile: (file) => new URL(`litert/${file}`, location).href, printErr: console.debug };
  await LiteRT.loadLiteRt(new URL("litert/litert_wasm_compat_internal.js", location).href);
}

async function startOnnx() {
  onnx = await import("./onnx.js");
  await onnx.start();
}

async function loadOnnx({ id, bytes }) {
  const { session, described } = await onnx.load(bytes);
  networks.set(id, { session });
  return described;
}

async function load({ id, bytes }) {
  networks.get(id)?.delete();
  networks.set(id, await LiteRT.loadAndCompile(bytes, { accelerator: "wasm" }));
}

const joined = async (parts) => new Uint8Array(await new Blob(parts).arrayBuffer());

// The bytes of all outputs, one after the other. `names`: in this order.
async function run({ id, input, names }) {
  const network = networks.get(id);
  if (network.session) return joined(await onnx.run(network.session, input.buffer));
  const [detail] = network.getInputDetails();
  const tensor = new LiteRT.Tensor(new NUMBERS[detail.dtype](input.buffer), [...detail.shape]);
  const outputs = await network.run([tensor]);
  tensor.delete();
  const found = network.getOutputDetails().map((one) => one.name);
  const order = names.every((name) => found.includes(name)) ? names.map((name) => found.indexOf(name)) : found.keys();
  const bytes = await joined([...order].map((k) => outputs[k].toTypedArray()));
  for (const one of outputs) one.delete();
  return bytes;
}

Promise.all([import("./worker.js"), import("./litert/index.js")]).then(([{ serve }, loaded]) => {
  LiteRT = loaded;
  serve({ start, load, run, startOnnx, loadOnnx });
});
