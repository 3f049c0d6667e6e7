/**
 * In charge of how often a JPEG goes over its picture. Each scan of a progressive one costs the decoder a pass over all
 * pixels, while an empty scan is a few bytes: a file of some KB can keep it busy for many seconds. Counted up to the end of the
 * picture, because phones append whole videos to it.
 */
const MARKER = 0xff;
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

export function jpegScans(file: Buffer): number {
  let scans = 0;
  let at = 2;
  while (at + 4 <= file.length) {
    at = file.indexOf(MARKER, at);
    const marker = at === -1 ? END_OF_IMAGE : (file[at + 1] ?? END_OF_IMAGE);
    if (marker === END_OF_IMAGE) break;
    if (hasNoLength(marker)) {
      // A second FF is padding: the marker may begin with it.
      at += marker === MARKER ? 1 : 2;
      continue;
    }
    if (marker === START_OF_SCAN) scans += 1;
    if (at + 4 > file.length) break;
    at += 2 + file.readUInt16BE(at + 2);
  }
  return scans;
}

/** Stuffed zeros, padding, restarts and the like, which stand in the data of a scan. */
function hasNoLength(marker: number): boolean {
  return marker === 0x00 || marker === 0x01 || marker === MARKER || (marker >= 0xd0 && marker <= 0xd8);
}
