// A genuine MicroPython (npm's @micropython/micropython-webassembly-pyscript) whose REPL is at stdin and stdout.
//   node micropython_vm.mjs PATH/micropython.mjs [BOOT.py]
// BOOT.py runs first, and after each soft reset. Not as on a camera: raw paste mode is refused (the VM's does not work;
// mpremote then takes the plain raw mode), a script cannot be interrupted, and errors of files bear the numbers of WASI.

import { readFileSync, readSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { loadMicroPython } = await import(pathToFileURL(process.argv[2]));
const boot = process.argv[3] ? readFileSync(process.argv[3], "utf8") : "";
const one = Buffer.alloc(1);

function read() {
  for (;;) {
    try {
      if (readSync(0, one, 0, 1, null) === 0) process.exit(0);
      return one[0];
    } catch (error) {
      if (error.code !== "EAGAIN") process.exit(0);
    }
  }
}

function write(bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}

const vm = await loadMicroPython({ heapsize: 8 << 20, linebuffer: false, stdin: read, stdout: write, stderr: write });
const RESET = `
import sys
sys.modules.clear()
for name in list(globals()):
    if name[:2] != "__": del globals()[name]
`;
vm.runPython(boot);
vm.replInit();

const PASTE = [5, 65, 1]; // Ctrl-E A Ctrl-A
for (let seen = 0; ; ) {
  const byte = read();
  if (byte === PASTE[seen]) {
    if (++seen === PASTE.length) {
      write(Buffer.from("R\0"));
      seen = 0;
    }
    continue;
  }
  let left = false;
  for (const held of [...PASTE.slice(0, seen), byte]) left = vm.replProcessChar(held) || left;
  seen = 0;
  if (left) {
    write(Buffer.from("soft reboot\r\n"));
    vm.runPython(RESET);
    vm.runPython(boot);
    vm.replInit();
  }
}
