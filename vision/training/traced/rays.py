"""A path-traced room: solids on a table under windows and lamps, seen by a camera with a known pose.

`drawn.tabletop` lights each face by itself; here light spreads as it really does: soft shadows, colours that bleed,
lamps mirrored in lacquer. A picture takes six to eight seconds of one core instead of one. It needs the extra "trace"
and a libLLVM that drjit can load, named by DRJIT_LIBLLVM_PATH (15 and 16 abort, 19 works).

Millimetres, z up, table top z = 0; colours are linear amounts of light, red first.
"""

from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import cv2
import numpy as np

from vision.scene.pose import Pose
from vision.training.labelled import Rng, through_jpeg

SAMPLES = 10  # rays a pixel before the denoiser
BOUNCES, BOUNCES_IN_GLASS = 5, 9
MARGIN_PX = 16  # traced around the picture, which distortion then needs


@dataclass(frozen=True, eq=False)
class Mesh:
    """A closed or flat surface.

    corners  (n, 3) mm
    normals  (n, 3) of length 1, outwards; edges look as round as these vary
    uv       (n, 2) places in a picture, (0, 0) its lower left
    faces    (m, 3) corners, counter-clockwise seen from outside
    """

    corners: np.ndarray
    normals: np.ndarray
    uv: np.ndarray
    faces: np.ndarray

    def at(self, middle_mm: np.ndarray, turn: np.ndarray | None = None) -> "Mesh":
        """The mesh turned by (3, 3) about the origin, then moved."""
        turn = np.eye(3) if turn is None else np.asarray(turn)
        return replace(self, corners=self.corners @ turn.T + middle_mm, normals=self.normals @ turn.T)


@dataclass(frozen=True, eq=False)
class Solid:
    """A mesh and its material.

    mesh   in the world
    paint  (3,) linear, or (h, w, 3) uint8 sRGB, red first
    rough  0 a mirror .. 1 dull
    gloss  0 none .. 1: reflection of a smooth coat
    metal  0 none .. 1
    relief (h, w) mm above the mesh, mapped like a picture, or None
    clear  (h, w) 0..1, share of the light that passes through, or None
    """

    mesh: Mesh
    paint: np.ndarray
    rough: float = 0.6
    gloss: float = 0.3
    metal: float = 0.0
    relief: np.ndarray | None = None
    clear: np.ndarray | None = None

    def at(self, middle_mm: np.ndarray, turn: np.ndarray | None = None) -> "Solid":
        """The solid turned by (3, 3) about the origin, then moved."""
        return replace(self, mesh=self.mesh.at(middle_mm, turn))


@dataclass(frozen=True, eq=False)
class Glow:
    """A glowing rectangle: middle and half edges in mm; its light goes along their cross product."""

    middle: np.ndarray
    right: np.ndarray
    up: np.ndarray
    radiance: np.ndarray


@dataclass(frozen=True, eq=False)
class Lighting:
    """The light (3,) from everywhere, and what glows in the room."""

    sky: np.ndarray
    glows: tuple[Glow, ...]


def random_lighting(rng: Rng) -> tuple[Lighting, str]:
    """Overcast, day, lamp, evening or mixed lighting, and its name; the camera's exposure sets the brightness."""
    kind = str(rng.choice(["overcast", "day", "lamp", "evening", "mixed"]))
    cool, warm = np.array([0.94, 1.0, 1.08]), np.array([1.12, 1.0, 0.78])
    share = {"overcast": 0.75, "day": 0.4, "lamp": 0.2, "evening": 0.25, "mixed": 0.4}[kind] * rng.uniform(0.5, 1.2)
    sky = share * (warm if kind in ("lamp", "evening") else cool) * np.exp(rng.normal(0, 0.03, 3))
    glows = []
    if kind in ("overcast", "day", "mixed"):
        half = rng.uniform(300, 700) if kind == "overcast" else rng.uniform(120, 500)
        glows.append(glow(rng, rng.uniform(900, 1800), rng.uniform(30, 68), half, cool, 1 - share))
    if kind in ("lamp", "evening", "mixed"):
        glows.append(glow(rng, rng.uniform(700, 1500), rng.uniform(5, 50), rng.uniform(20, 140), warm, 1 - share))
    if kind == "evening" and rng.random() < 0.6:
        glows.append(glow(rng, rng.uniform(1200, 2000), rng.uniform(20, 65), rng.uniform(60, 250), warm, 0.4))
    return Lighting(sky, tuple(glows)), kind


def glow(rng: Rng, far: float, slant_deg: float, half: float, tint: np.ndarray, amount: float) -> Glow:
    """A square lamp or window that lights the middle of the table by `amount`."""
    slant, around = np.radians(slant_deg), rng.uniform(0, 2 * np.pi)
    away = np.array([np.sin(slant) * np.cos(around), np.sin(slant) * np.sin(around), np.cos(slant)])
    right = np.cross([0, 0, 1.0], away)
    right /= np.linalg.norm(right)
    up = np.cross(away, right)
    radiance = amount * tint * np.pi * far**2 / (np.pi * 4 * half**2 * max(0.3, np.cos(slant)))
    return Glow(away * far, -right * half, up * half, radiance)


def rounded_box(half_mm: np.ndarray, rounding_mm: float, steps: int = 1, ball_mm: float = np.inf) -> Mesh:
    """A box about the origin with rounded edges, cut with a ball; its uv is an atlas of 3 × 2 faces.

    The faces of the atlas are +x, +y, +z above -x, -y, -z; in each, u and v run along the other two axes in order.
    """
    half = np.asarray(half_mm, float)
    flat = np.maximum(half - rounding_mm, 1e-6)
    arc = np.tan(np.linspace(0, np.pi / 4, steps + 1))
    inside = np.linspace(-1, 1, 13)[1:-1] if np.isfinite(ball_mm) else np.zeros(0)
    parts: list[tuple[np.ndarray, ...]] = []
    count = 0
    for axis in range(3):
        a, b = (i for i in range(3) if i != axis)
        lines = [
            np.concatenate([-(f + (h - f) * arc[::-1]), f * inside, f + (h - f) * arc])
            for f, h in ((flat[a], half[a]), (flat[b], half[b]))
        ]
        u, v = np.meshgrid(*lines)
        index = np.arange(u.size).reshape(u.shape)
        quads = np.stack([index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]], axis=-1).reshape(-1, 4)
        for sign in (1, -1):
            point = np.zeros((u.size, 3))
            point[:, axis], point[:, a], point[:, b] = sign * half[axis], u.ravel(), v.ravel()
            inner = np.clip(point, -flat, flat)
            out = point - inner
            out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
            point = inner + rounding_mm * out
            far = np.linalg.norm(point, axis=1, keepdims=True)
            out = np.where(far > ball_mm, point / far, out)
            place = np.stack([u.ravel() / half[a], v.ravel() / half[b]], axis=1) * 0.495 + 0.5
            facing = quads if (sign > 0) == (axis != 1) else quads[:, ::-1]  # x × z points to -y
            cell = np.array([axis, 0 if sign < 0 else 1])
            triangles = np.vstack([facing[:, :3], facing[:, [0, 2, 3]]]) + count
            parts.append((point * np.minimum(1, ball_mm / far), out, (place + cell) / [3, 2], triangles))
            count += u.size
    return Mesh(*(np.vstack(part) for part in zip(*parts, strict=True)))


def prism(radius_mm: float, low_mm: float, high_mm: float, bevel_mm: float = 0.4, around: int = 48) -> Mesh:
    """An upright cylinder about the z axis; the left half of its uv is the top, the right half its side."""
    angle = np.linspace(0, 2 * np.pi, around + 1)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points = [(0.0, low_mm), (radius_mm, low_mm), (radius_mm, high_mm - bevel_mm), (radius_mm - bevel_mm, high_mm)]
    i = np.arange(around)
    quads = np.stack([i, i + 1, i + around + 2, i + around + 1], axis=1)
    parts: list[tuple[np.ndarray, ...]] = []
    for number, ((r0, z0), (r1, z1)) in enumerate(pairwise([*points, (0.0, high_mm)])):
        slope = np.array([z1 - z0, r0 - r1]) / np.hypot(z1 - z0, r1 - r0)
        normal = np.hstack([slope[0] * ring, np.full((around + 1, 1), slope[1])])
        for r, z, v in ((r0, z0, 0.02), (r1, z1, 0.98)):
            uv = np.array([0.25, 0.5]) + np.array([0.24, 0.49]) * r / radius_mm * ring
            if number == 1:
                uv = np.stack([0.5 + 0.5 * angle / angle[-1], np.full(around + 1, v)], axis=1)
            parts.append((np.hstack([r * ring, np.full((around + 1, 1), z)]), normal, uv))
    corners, normals, uvs = (np.vstack(part) for part in zip(*parts, strict=True))
    rings = np.arange(0, len(parts), 2)[:, None, None] * (around + 1)
    faces = np.concatenate([quads[:, :3] + rings, quads[:, [0, 2, 3]] + rings]).reshape(-1, 3)
    return Mesh(corners, normals, uvs, faces)


def surface_of_revolution(profile_mm: np.ndarray, around: int = 48) -> Mesh:
    """A profile (n, 2) of radius and height, turned about the z axis.

    The profile has the outside to its right: from below outwards and up.
    """
    angle = np.linspace(0, 2 * np.pi, around + 1)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    i = np.arange(around)
    quads = np.stack([i, i + 1, i + around + 2, i + around + 1], axis=1)
    parts: list[tuple[np.ndarray, ...]] = []
    for number, ((r0, z0), (r1, z1)) in enumerate(pairwise(np.asarray(profile_mm, float).tolist())):
        slope = np.array([z1 - z0, r0 - r1]) / max(1e-9, np.hypot(z1 - z0, r1 - r0))
        normals = np.tile(np.hstack([slope[0] * ring, np.full((around + 1, 1), slope[1])]), (2, 1))
        corners = np.vstack([np.hstack([r * ring, np.full((around + 1, 1), z)]) for r, z in ((r0, z0), (r1, z1))])
        uv = np.stack([np.tile(angle / angle[-1], 2), np.repeat([0.0, 1.0], around + 1)], axis=1)
        faces = np.vstack([quads[:, :3], quads[:, [0, 2, 3]]]) + number * 2 * (around + 1)
        parts.append((corners, normals, uv, faces))
    return Mesh(*(np.vstack(part) for part in zip(*parts, strict=True)))


def sheet(corners_mm: np.ndarray, uv: np.ndarray | None = None) -> Mesh:
    """A flat picture; its corners on the table are far left, far right, near right, near left."""
    corners = np.asarray(corners_mm, float)
    normal = np.cross(corners[3] - corners[0], corners[1] - corners[0])
    normals = np.tile(normal / np.linalg.norm(normal), (4, 1))
    whole = np.array([[0, 1], [1, 1], [1, 0], [0, 0]], float)
    return Mesh(corners, normals, whole if uv is None else uv, np.array([[0, 2, 1], [0, 3, 2]]))


@cache
def tracer() -> Any:
    import drjit
    import mitsuba

    mitsuba.set_variant("llvm_ad_rgb")
    drjit.set_thread_count(1)
    mitsuba.set_log_level(mitsuba.LogLevel.Error)
    return mitsuba


def trace(solids: list[Solid], lighting: Lighting, pose: Pose, size_px: tuple[int, int], seed: int,
          samples: int = SAMPLES) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """The camera's view before distortion, `MARGIN_PX` larger on each side.

    Returns linear light (h, w, 3), red first, and the index of the solid in each pixel (h, w), -1 for none or a lamp.
    """
    import mitsuba_oidn

    mi = tracer()
    wide, tall = size_px[0] + 2 * MARGIN_PX, size_px[1] + 2 * MARGIN_PX
    to_world = np.eye(4)
    # Mitsuba's camera looks along its z with y up and x to the left; OpenCV's has y down and x to the right
    to_world[:3, :3] = pose.rotation.T @ np.diag([-1.0, -1.0, 1.0])
    to_world[:3, 3] = pose.eye_mm
    film = {"type": "hdrfilm", "width": wide, "height": tall, "rfilter": {"type": "box"}, "pixel_format": "rgb",
            "component_format": "float32"}  # fmt: skip
    scene: dict[str, Any] = {
        "type": "scene",
        "camera": {
            "type": "perspective", "fov_axis": "x", "near_clip": 5.0, "far_clip": 20000.0, "film": film,
            "fov": float(np.degrees(2 * np.arctan(wide / 2 / pose.intrinsics[0, 0]))),
            "to_world": mi.ScalarTransform4f(to_world),
            "principal_point_offset_x": float((pose.intrinsics[0, 2] + MARGIN_PX + 0.5) / wide - 0.5),
            "principal_point_offset_y": float((pose.intrinsics[1, 2] + MARGIN_PX + 0.5) / tall - 0.5),
            "sampler": {"type": "independent", "sample_count": samples},
        },
        "sky": {"type": "constant", "radiance": rgb(lighting.sky)},
    }  # fmt: skip
    for number, lamp in enumerate(lighting.glows):
        matrix = np.eye(4)
        matrix[:3, 0], matrix[:3, 1], matrix[:3, 3] = lamp.right, lamp.up, lamp.middle
        ahead = np.cross(lamp.right, lamp.up)
        matrix[:3, 2] = ahead / np.linalg.norm(ahead)
        scene[f"glow{number}"] = {
            "type": "rectangle", "to_world": mi.ScalarTransform4f(matrix),
            "emitter": {"type": "area", "radiance": rgb(lamp.radiance)},
        }  # fmt: skip
    for number, solid in enumerate(solids):
        scene[f"solid{number:04d}"] = mesh_of(mi, solid)
    loaded = mi.load_dict(scene)
    aovs = mi.load_dict({"type": "aov", "aovs": "who:shape_index,albedo:albedo,normal:sh_normal"})
    first = np.array(mi.render(loaded, integrator=aovs, spp=1, seed=seed))
    deep = BOUNCES if all(solid.clear is None for solid in solids) else BOUNCES_IN_GLASS
    light = mi.render(loaded, integrator=mi.load_dict({"type": "path", "max_depth": deep}), spp=samples, seed=seed + 1)
    noisy = np.minimum(np.array(light), 40.0).astype(np.float32)  # a very bright ray must not spoil its neighbours
    albedo, normal = (np.ascontiguousarray(first[..., i : i + 3], np.float32) for i in (1, 4))
    clean = mitsuba_oidn.denoise(noisy, albedo.clip(0, 1), normal, hdr=True, quality=mitsuba_oidn.Quality.Fast)
    owner = first[..., 0].astype(int) - 1  # 0 is nothing, lamps come last
    return np.asarray(clean), np.where(owner < len(solids), owner, -1)


def rgb(colour: np.ndarray) -> dict[str, Any]:
    return {"type": "rgb", "value": [float(c) for c in colour]}


def mesh_of(mi: Any, solid: Solid) -> Any:
    """Mitsuba's mesh of a solid."""
    surface = {
        "type": "principled", "base_color": texture(mi, solid.paint), "roughness": float(max(0.06, solid.rough)),
        "specular": float(np.clip(solid.gloss, 0, 1)), "metallic": float(solid.metal),
    }  # fmt: skip
    if solid.clear is not None:
        surface |= {"spec_trans": texture(mi, solid.clear.astype(np.float32))}
    else:
        surface = {"type": "twosided", "bsdf": surface}
    if solid.relief is not None:
        surface = {"type": "bumpmap", "height": texture(mi, solid.relief.astype(np.float32)), "bsdf": surface}
    properties = mi.Properties()
    properties["bsdf"] = mi.load_dict(surface)
    mesh = mi.Mesh("solid", len(solid.mesh.corners), len(solid.mesh.faces), has_vertex_texcoords=True,
                   has_vertex_normals=True, props=properties)  # fmt: skip
    values = mi.traverse(mesh)
    values["faces"] = np.ravel(solid.mesh.faces).astype(np.uint32)
    values["vertex_positions"] = np.ravel(solid.mesh.corners).astype(np.float32)
    values["vertex_texcoords"] = np.ravel(solid.mesh.uv).astype(np.float32)
    values.update()  # this computes normals, which are replaced next
    values["vertex_normals"] = np.ravel(solid.mesh.normals).astype(np.float32)
    return mesh


def texture(mi: Any, paint: np.ndarray) -> dict[str, Any]:
    """A colour (3,) linear, a picture (h, w, 3) uint8 sRGB, or amounts (h, w) float."""
    if paint.ndim == 1:
        return rgb(np.clip(paint, 0, 1))
    # Mitsuba's v runs downwards
    upright = np.ascontiguousarray(paint[::-1] if paint.ndim == 3 else paint[::-1, :, None])
    return {"type": "bitmap", "bitmap": mi.Bitmap(upright), "wrap_mode": "mirror", "raw": paint.ndim == 2}


def through_camera(rng: Rng, light: np.ndarray, pose: Pose, size_px: tuple[int, int], quality: int = 85) -> np.ndarray:
    """The picture as a camera takes it, uint8 BGR: distortion, white balance, exposure, blur, noise, JPEG."""
    bent = lens_map(pose, size_px)
    picture = cv2.remap(light, bent[0], bent[1], cv2.INTER_CUBIC)
    usual, brightest = np.percentile(picture[::4, ::4].max(axis=2), [92, 99.7])
    bright = max(1e-4, usual, 0.6 * brightest)  # white dice on a dark table are burnt out only a little
    balance = np.exp(rng.normal(0, 0.06, 3))
    picture = np.maximum(picture, 0) * (balance * np.exp(rng.normal(-0.35, 0.3)) / bright).astype(np.float32)
    picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.35, 0.9))
    picture = np.minimum(picture, 1.0) ** np.float32(1 / 2.2)
    grain = cv2.GaussianBlur(rng.standard_normal(picture.shape, np.float32), (0, 0), 0.5)
    picture = picture + np.float32(rng.uniform(0.003, 0.025)) * grain
    done = (np.clip(picture, 0, 1) * 255).round().astype(np.uint8)[:, :, ::-1]
    return through_jpeg(np.ascontiguousarray(done), quality)


def lens_map(pose: Pose, size_px: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """The place in the traced picture of each pixel of the distorted one: two (h, w) float32."""
    xs, ys = np.meshgrid(np.arange(size_px[0], dtype=np.float64), np.arange(size_px[1], dtype=np.float64))
    straight = cv2.undistortPoints(
        np.stack([xs.ravel(), ys.ravel()], axis=1).reshape(-1, 1, 2), pose.intrinsics, pose.distortion
    ).reshape(*xs.shape, 2)
    at = straight * [pose.intrinsics[0, 0], pose.intrinsics[1, 1]] + [pose.intrinsics[0, 2], pose.intrinsics[1, 2]]
    return (at[..., 0] + MARGIN_PX).astype(np.float32), (at[..., 1] + MARGIN_PX).astype(np.float32)


def seen_through(owner: np.ndarray, pose: Pose, size_px: tuple[int, int]) -> np.ndarray:
    """The index of the solid in each pixel of the distorted picture."""
    bent = lens_map(pose, size_px)
    return cv2.remap(owner.astype(np.float32), bent[0], bent[1], cv2.INTER_NEAREST).astype(int)
