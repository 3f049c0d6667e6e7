/**
 * Reads the markers of a JPEG: the number of scans, and how much of it a decoder keeps in memory.
 *
 * Each scan of a progressive JPEG costs a pass over all pixels, while an empty scan is a few bytes: a file of a few KB
 * can keep the decoder busy for many seconds. Reads only to the end of the image, because phones append whole videos.
 */
const MARKER = 0xff;
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;
const COEFFICIENT_BYTES = 2;

export interface JpegScans {
  readonly scans: number;
  /** Memory for coefficients if the colors are in several scans. 0 for other JPEGs, because the decoder keeps only a few lines of them. */
  readonly coefficient_bytes: number;
}

interface Frame {
  readonly isProgressive: boolean;
  readonly components: number;
  readonly coefficient_bytes: number;
}

/** Returns undefined if there are more markers, including stuffed and padding bytes, than `markers_max`. */
export function jpegScans(file: Buffer, markers_max: number): JpegScans | undefined {
  let scans = 0;
  let frame: Frame | undefined;
  let isWhole = true;
  let at = 2;
  for (let markers = 0; at + 4 <= file.length; markers += 1) {
    if (markers === markers_max) return undefined;
    at = file.indexOf(MARKER, at);
    const marker = at === -1 ? END_OF_IMAGE : (file[at + 1] ?? END_OF_IMAGE);
    if (marker === END_OF_IMAGE) break;
    if (hasNoLength(marker)) {
      // A second FF is padding, and may start the marker.
      at += marker === MARKER ? 1 : 2;
      continue;
    }
    if (marker === START_OF_SCAN) {
      scans += 1;
      if (file[at + 4] !== frame?.components) isWhole = false;
    }
    if (isStartOfFrame(marker)) frame ??= frameAt(file, at, marker);
    if (at + 4 > file.length) break;
    at += 2 + file.readUInt16BE(at + 2);
  }
  const isKept = frame?.isProgressive || scans > 1 || !isWhole;
  return { scans, coefficient_bytes: isKept ? (frame?.coefficient_bytes ?? 0) : 0 };
}

/** True for stuffed zeros, padding and restarts inside scan data. */
function hasNoLength(marker: number): boolean {
  return marker === 0x00 || marker === 0x01 || marker === MARKER || (marker >= 0xd0 && marker <= 0xd8);
}

/** True for C0 to CF, except the tables and extensions among them. */
function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Counts one coefficient per pixel and component, at the component's sampling. */
function frameAt(file: Buffer, at: number, marker: number): Frame | undefined {
  const components = file[at + 9] ?? 0;
  if (at + 10 + components * 3 > file.length) return undefined;
  const pixels = file.readUInt16BE(at + 5) * file.readUInt16BE(at + 7);
  const factors = Array.from({ length: components }, (_, index) => file[at + 11 + index * 3] as number);
  const most =
    Math.max(1, ...factors.map((factor) => factor >> 4)) * Math.max(1, ...factors.map((factor) => factor & 15));
  const shares = factors.reduce((sum, factor) => sum + ((factor >> 4) * (factor & 15)) / most, 0);
  const isProgressive = (marker & 3) === 2;
  return { isProgressive, components, coefficient_bytes: pixels * shares * COEFFICIENT_BYTES };
}
