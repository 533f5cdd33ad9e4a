// The firmware's draw_image with BILINEAR, of an RGB565 picture: the pixels are those of stubs/image/_draw_image.py.

const f32 = Math.fround;
const KEEP = 2, IGNORE = 4; // SCALE_ASPECT_* of image.py

// Source positions of the destination's pixels along one axis, in 16.16 fixed point.
function axis(offset, size, scale, start, length, limit) {
  const first = Math.max(offset, 0);
  const count = Math.min(offset + size, limit) - first;
  const skip = Math.max(-offset, 0) + Math.floor(f32(f32(start) * scale));
  const step = Math.floor(f32(65536 / scale));
  const begin = Math.floor(f32(f32(skip * 65536) / scale));
  return { first, step, start, last: start + length - 1, at: Array.from({ length: count }, (_, i) => begin + step * i) };
}

function taps(one, plain, pixels) {
  return one.at.map((at) => {
    if (plain) {
      const nearest = Math.min(Math.max(at >> 16, 0), pixels - 1);
      return [nearest, nearest, 0];
    }
    const shifted = at - 32768, p = shifted >> 16;
    const low = Math.min(Math.max(p, one.start), one.last);
    return [low, p < one.start || p >= one.last ? low : low + 1, (shifted >> 11) & 31];
  });
}

// `to`: the bytes of a canvas w x h, a bytearray of Python's, with 3 channels or 1; `from`: the RGBA of a picture.
export function draw(to, w, h, channels, from, fromWidth, fromHeight, x, y, xScale, yScale, rx, ry, rw, rh, aspect) {
  xScale = f32(xScale);
  yScale = f32(yScale);
  if (aspect) {
    let across = f32(w / rw), down = f32(h / rh);
    if (aspect & KEEP) across = down = Math.min(across, down);
    xScale = f32(xScale * across);
    yScale = f32(yScale * down);
  }
  const xs = axis(x, Math.floor(f32(xScale * rw)), xScale, rx, rw, w);
  const ys = axis(y, Math.floor(f32(yScale * rh)), yScale, ry, rh, h);
  const plain = (xs.step === 65536 && ys.step === 65536) || rw === 1 || rh === 1;
  const columns = taps(xs, plain, fromWidth), rows = taps(ys, plain, fromHeight);
  const buffer = to.getBuffer("u8"), out = buffer.data, rgb = [0, 0, 0];
  const cut = [3, 2, 3]; // the bits of a byte that RGB565 has not
  rows.forEach(([y0, y1, fy], row) => columns.forEach(([x0, x1, fx], column) => {
    for (let k = 0; k < 3; k++) {
      const at = (px, py) => from[4 * (py * fromWidth + px) + k] >> cut[k];
      const left = (at(x0, y0) * (32 - fy) + at(x0, y1) * fy + 16) >> 5;
      const right = (at(x1, y0) * (32 - fy) + at(x1, y1) * fy + 16) >> 5;
      const value = (left * (32 - fx) + right * fx + 16) >> 5;
      rgb[k] = (value << cut[k]) | (value >> (8 - 2 * cut[k]));
    }
    const place = (ys.first + row) * w + xs.first + column;
    if (channels === 1) out[place] = (38 * rgb[0] + 75 * rgb[1] + 15 * rgb[2]) >> 7;
    else out.set(rgb, 3 * place);
  }));
  buffer.release();
  to.destroy?.();
}
