// Runs scripts/device/soak_test.py in npm's MicroPython, on a heap of 1 MiB:
//   node soak_vm.mjs PATH/micropython.mjs LIB DEVICE.py FRAMES BLOCK

import { readFileSync, readdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [module, lib, device, frames, block] = process.argv.slice(2);
const { loadMicroPython } = await import(pathToFileURL(module));
const write = (line) => writeSync(1, line + "\n");
const vm = await loadMicroPython({ heapsize: 1 << 20, stdout: write, stderr: write });

function copy(from, to) {
  vm.FS.mkdirTree(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory()) copy(join(from, entry.name), `${to}/${entry.name}`);
    else if (entry.name.endsWith(".py")) vm.FS.writeFile(`${to}/${entry.name}`, readFileSync(join(from, entry.name)));
  }
}

copy(lib, "/lib");
vm.FS.writeFile("/soak_test.py", readFileSync(device));
// It collects between two calls only: one call a frame.
try {
  vm.runPython(`
import sys
sys.path[:] = ["/lib", "/"]
import soak_test
frames = soak_test.running(None, ${Number(frames)}, ${Number(block)})
more = True
`);
  while (vm.globals.get("more")) vm.runPython("more = next(frames, 0) is None");
} catch (error) {
  write(error.message); // not the stack: it quotes the whole of micropython.mjs
  process.exit(1);
}
