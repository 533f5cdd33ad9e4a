"""Train the sample network: `python3 scripts/dev/train_network.py FOLDER`.

Makes pictures, trains on them, exports a float and an int8 file, evaluates both on other pictures, and writes everything in
scripts/n6post_pc/data/shapes except its README.md. The trained weights are saved in FOLDER. This takes 20 minutes on one
core.

It needs a separate environment, because the project does not depend on PyTorch and TensorFlow:

    pip install torch==2.13.0 tensorflow-cpu==2.21.0 pillow==13.0.0 scikit-image==0.26.0 pycocotools==2.0.11

The same seed and packages give the same network on the same machine. Another processor may round sums differently.
"""

import argparse
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from shapes_network import evaluation, pictures, training
from shapes_network.architecture import SIZE, ShapesNetwork, anchors, corners, flat

TARGET = Path(__file__).resolve().parents[2] / "scripts" / "n6post_pc" / "data" / "shapes"
PICTURES = TARGET / "pictures"
SAMPLES = range(6, 14)  # the pictures of the part "test" that are shipped; picture 11 shows no object


def of_torch(network: ShapesNetwork) -> evaluation.Network:
    """The network in PyTorch, with the outputs that its files have."""
    centers, strides = anchors()

    @torch.no_grad()
    def run(picture: np.ndarray) -> evaluation.Outputs:
        heads, prototypes = network(torch.from_numpy(picture).permute(2, 0, 1)[None].float() / 255)
        logits, scores, coefficients = flat(heads)
        low, high = (corners(logits, centers, strides) / SIZE).split(2, -1)
        rows = torch.cat(((low + high) / 2, high - low, scores.sigmoid(), coefficients), -1)
        return rows[0].T.numpy(), prototypes[0].permute(1, 2, 0).numpy()

    return run


def of_file(model: bytes) -> evaluation.Network:
    """A .tflite file. The outputs are dequantized."""
    import tensorflow as tf

    interpreter = tf.lite.Interpreter(model_content=model)
    interpreter.allocate_tensors()
    (entry,), outputs = interpreter.get_input_details(), interpreter.get_output_details()

    def run(picture: np.ndarray) -> evaluation.Outputs:
        integers = entry["dtype"] == np.int8
        tensor = (picture.astype(np.int16) - 128).astype(np.int8) if integers else picture.astype(np.float32) / 255
        interpreter.set_tensor(entry["index"], tensor[None])
        interpreter.invoke()
        results = []
        for output in outputs:
            values = interpreter.get_tensor(output["index"])[0].astype(np.float32)
            scale, zero_point = output["quantization"]
            results.append((values - zero_point) * scale if integers else values)
        rows, prototypes = sorted(results, key=np.ndim)
        return rows, prototypes

    return run


def saved(image: dict[str, Any]) -> np.ndarray:
    return np.asarray(Image.open(PICTURES / image["file_name"]))


def largest_difference(one: evaluation.Network, other: evaluation.Network) -> float:
    """The largest difference between the outputs of two networks for the sample pictures."""
    squares = (training.letterboxed(pictures.make("test", n)[0], Image.Resampling.BOX)[0] for n in SAMPLES)
    return max(float(np.abs(a - b).max()) for square in squares for a, b in zip(one(square), other(square)))


def write(files: dict[str, bytes], truth: dict[str, Any]) -> None:
    """The files with their labels, and the sample pictures with their annotations."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (TARGET / f"{name}.tflite").write_bytes(content)
        (TARGET / f"{name}.txt").write_text("\n".join(pictures.CLASSES) + "\n", encoding="utf-8")
    (TARGET / "truth.json").write_text(json.dumps(truth) + "\n", encoding="utf-8")
    for image in truth["images"]:
        Image.fromarray(pictures.make("test", image["id"])[0]).save(PICTURES / image["file_name"], quality=75)


def main() -> None:
    command = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("folder", type=Path, metavar="FOLDER", help="folder of the trained weights, shapes.pt")
    command.add_argument("--pictures", type=int, default=4000, metavar="N", help="training pictures (default 4000)")
    command.add_argument("--epochs", type=int, default=25, metavar="N", help="(default 25)")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of the training (default 0)")
    command.add_argument("--no-training", action="store_true", help="export and evaluate the weights in FOLDER")
    options = command.parse_args()
    torch.set_num_threads(1)  # the rounding of sums depends on the number of threads

    weights = options.folder / "shapes.pt"
    if not options.no_training:
        options.folder.mkdir(parents=True, exist_ok=True)
        print(f"making {options.pictures} pictures", flush=True)
        network = training.train(training.data(options.pictures), options.epochs, options.seed)
        torch.save(network.state_dict(), weights)
    network = ShapesNetwork(len(pictures.CLASSES)).eval()
    network.load_state_dict(torch.load(weights))

    from shapes_network import export  # here: it imports TensorFlow

    def calibration() -> Iterator[np.ndarray]:
        return (training.example(number)[0] for number in range(300))

    files = {
        "shapes": export.convert(copy.deepcopy(network), calibration()),
        "shapes_float": export.convert(copy.deepcopy(network)),
    }
    networks = {"PyTorch": of_torch(network), **{name: of_file(content) for name, content in files.items()}}
    difference = largest_difference(networks["PyTorch"], networks["shapes_float"])
    if difference > 1e-3:
        raise SystemExit(f"shapes_float.tflite and PyTorch differ by up to {difference:.2g}")
    print(f"shapes_float.tflite and PyTorch differ by up to {difference:.2g}")
    samples, many = evaluation.truth(SAMPLES), evaluation.truth(range(200))
    write(files, samples)
    figures = {}
    for name, run in networks.items():
        figures[name] = {
            "200 test pictures": evaluation.average_precision(run, many),
            "sample pictures": evaluation.average_precision(run, samples, saved),
        }
        print(name, json.dumps(figures[name], indent=1), flush=True)
    (TARGET / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(*(f"{name}.tflite: {len(content):,} bytes" for name, content in files.items()), f"written to {TARGET}", sep="\n")


if __name__ == "__main__":
    main()
