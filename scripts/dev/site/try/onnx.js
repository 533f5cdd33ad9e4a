// .onnx files in network.js, with ONNX Runtime, which is loaded when the first one is dropped. As stubs/ml/_backends.py.

const TYPES = { // the firmware's letters
  float32: ["f", Float32Array], int8: ["b", Int8Array], uint8: ["B", Uint8Array], int16: ["h", Int16Array],
  uint16: ["H", Uint16Array],
};
let runtime;

async function fetched(url) { // says how much of it has come
  const reader = (await fetch(url)).body.getReader(), parts = [];
  for (let part; (part = (await reader.read()).value);) {
    parts.push(part);
    postMessage({ bytes: part.length });
  }
  return new Blob(parts).arrayBuffer();
}

export async function start() {
  const loaded = await import("./onnx/ort.wasm.bundle.min.mjs");
  Object.assign(loaded.env.wasm, { numThreads: 1, wasmBinary: await fetched("onnx/ort-wasm-simd-threaded.wasm") });
  runtime = loaded;
}

const shapeOf = (one) => one.shape.map((n) => (typeof n === "number" ? n : 1)); // what the file leaves open is 1
const few = (n) => n === 1 || n === 3;
const isChannelsFirst = ({ shape }) => shape.length === 4 && few(shape[1]) && !few(shape[3]); // offered as NHWC

function described(one) {
  if (!TYPES[one.type]) throw new Error(`Unsupported data type ${one.type}`);
  return { name: one.name, shape: shapeOf(one), dtype: TYPES[one.type][0], scale: 1, zero_point: 0 };
}

export async function load(bytes) {
  const session = await runtime.InferenceSession.create(bytes, { logSeverityLevel: 3 }).catch((error) => {
    throw new Error(`ONNX Runtime cannot run it: ${error.message}`);
  });
  const inputs = session.inputMetadata.map(described);
  for (const one of inputs.filter(isChannelsFirst)) one.shape.push(one.shape.splice(1, 1)[0]);
  return { session, described: { inputs, outputs: session.outputMetadata.map(described) } };
}

// The outputs' values, in their order; `buffer`: of the input, channels last.
export async function run(session, buffer) {
  const [input] = session.inputMetadata, shape = shapeOf(input);
  let values = new TYPES[input.type][1](buffer);
  if (isChannelsFirst(input)) {
    const area = shape[2] * shape[3], last = values;
    values = last.map((_, at) => last[(at % area) * shape[1] + Math.floor(at / area)]); // the batch is 1
  }
  const found = await session.run({ [input.name]: new runtime.Tensor(input.type, values, shape) });
  return session.outputNames.map((name) => found[name].data);
}
