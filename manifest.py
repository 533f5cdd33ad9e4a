metadata(
    version="0.9.0",
    description="Post-processing of segmentation, pose and detection networks on OpenMV cameras",
    license="MIT",
)
package("n6post", base_path="lib", opt=3)
