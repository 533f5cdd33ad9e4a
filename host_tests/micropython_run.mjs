// A genuine MicroPython (npm's @micropython/micropython-webassembly-pyscript) that runs scripts, one after the other.
//   node micropython_run.mjs PATH/micropython.mjs HEAP
// A line of JSON in, a line of JSON out: {"files": [[file here, path there], ...]} copies files; {"run": SCRIPT} answers
// {"out": what it printed, "error": its traceback or null, "taken": bytes of the heap in use before and after}.
// HEAP bytes is all there is: this port's heap grows by itself, and collects between scripts only, so that what one script
// allocates has to fit as a whole. What does not fit is a MemoryError; where small things fill it to the last byte, none can be
// made, and the VM never returns. At least 256 KiB; a script may have 100 KiB of text.

import { readFileSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";

const complain = console.error; // which the module keeps to itself from here on
console.error = (...said) => /grow/.test(said[0]) || complain(...said);
const { loadMicroPython } = await import(pathToFileURL(process.argv[2]));
let printed = [];
const keep = (bytes) => printed.push(Buffer.from(bytes));
const heapsize = Number(process.argv[3]);
const vm = await loadMicroPython({ heapsize, pystack: 64 << 10, linebuffer: false, stdout: keep, stderr: keep });

// The memory behind the heap shall not grow, and what is left of it but a little for the C code is taken.
WebAssembly.Memory.prototype.grow = () => {
  throw new RangeError("the heap is as large as it was made");
};
const SPARE = 128 << 10; // less than the heap, for that is the least by which it would grow
const spare = vm._module._malloc(SPARE);
for (let size = 1 << 20; size >= 4 << 10; size >>= 1) while (vm._module._malloc(size));
vm._module._free(spare);

vm.runPython("import gc");
const used = () => (vm.runPython("gc.collect()"), vm.runPython("_used = gc.mem_alloc()"), vm.globals.get("_used"));
let before = used();

function answer(asked) {
  if (asked.files) {
    for (const [here, there] of asked.files) {
      vm.FS.mkdirTree(dirname(there));
      vm.FS.writeFile(there, readFileSync(here));
    }
    return {};
  }
  printed = [];
  let error = null;
  try {
    vm.runPython(asked.run);
  } catch (raised) {
    if (raised.name !== "PythonError") throw raised;
    error = raised.message;
  }
  const taken = [before, (before = used())];
  return { out: Buffer.concat(printed).toString(), error, taken };
}

const chunk = Buffer.alloc(1 << 16);
let held = Buffer.alloc(0);
for (;;) {
  let many = 0;
  try {
    many = readSync(0, chunk, 0, chunk.length, null);
  } catch (error) {
    if (error.code === "EAGAIN") continue;
  }
  if (!many) process.exit(0);
  held = Buffer.concat([held, chunk.subarray(0, many)]);
  for (let end; (end = held.indexOf(10)) >= 0; held = held.subarray(end + 1)) {
    const said = Buffer.from(JSON.stringify(answer(JSON.parse(held.subarray(0, end)))) + "\n");
    for (let at = 0; at < said.length; ) at += writeSync(1, said, at);
  }
}
