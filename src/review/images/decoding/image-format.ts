/**
 * Detects the format of a file by its first bytes. Only formats listed here reach a decoder, so that merchants cannot
 * use other features of decoders, such as SVG with scripts and references.
 */
export type ImageFormat = keyof typeof FORMATS;

/** `decoder`: sharp's name of the format; null if unsupported. */
export const FORMATS = Object.freeze({
  jpeg: { type: 'image/jpeg', decoder: 'jpeg' },
  png: { type: 'image/png', decoder: 'png' },
  webp: { type: 'image/webp', decoder: 'webp' },
  avif: { type: 'image/avif', decoder: 'heif' },
  tiff: { type: 'image/tiff', decoder: 'tiff' },
  gif: { type: 'image/gif', decoder: null },
  heic: { type: 'image/heic', decoder: null },
  bmp: { type: 'image/bmp', decoder: null },
  ico: { type: 'image/x-icon', decoder: null },
  svg: { type: 'image/svg+xml', decoder: null },
  jxl: { type: 'image/jxl', decoder: null },
  jp2: { type: 'image/jp2', decoder: null },
  psd: { type: 'image/vnd.adobe.photoshop', decoder: null },
} as const);

/** First bytes in hex; `..` matches any byte. */
const SIGNATURES: readonly (readonly [string, ImageFormat])[] = [
  ['ffd8ff', 'jpeg'],
  ['89504e470d0a1a0a', 'png'],
  ['52494646........57454250', 'webp'],
  ['49492a00', 'tiff'],
  ['4d4d002a', 'tiff'],
  ['49492b00', 'tiff'],
  ['4d4d002b', 'tiff'],
  ['474946383761', 'gif'],
  ['474946383961', 'gif'],
  ['424d............0000', 'bmp'],
  ['00000100', 'ico'],
  ['ff0a', 'jxl'],
  ['0000000c4a584c20', 'jxl'],
  ['0000000c6a502020', 'jp2'],
  ['38425053', 'psd'],
].map(([signature, format]) => [signature as string, format as ImageFormat] as const);

const HEAD_BYTES = 1_024;

export function formatOf(file: Buffer): ImageFormat | undefined {
  const hex = file.toString('hex', 0, 16);
  const found = SIGNATURES.find(([signature]) => new RegExp(`^${signature}`).test(hex));
  if (found !== undefined) return found[1];
  const brands = brandsOf(file);
  if (brands.some((brand) => brand === 'avif' || brand === 'avis')) return 'avif';
  if (brands.some((brand) => /^(?:hei[cxms]|hev[cx]|mif1|msf1)$/.test(brand))) return 'heic';
  return /^\s*<(?:\?xml|!--|!doctype svg|svg)[\s\S]*/i.test(head(file)) && /<svg[\s>]/i.test(head(file))
    ? 'svg'
    : undefined;
}

/** Brands of an ISO media file, the major one first. */
export function brandsOf(file: Buffer): readonly string[] {
  if (file.length < 16 || file.toString('latin1', 4, 8) !== 'ftyp') return [];
  const end = Math.min(file.readUInt32BE(0), file.length, HEAD_BYTES);
  const brands = [file.toString('latin1', 8, 12)];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(file.toString('latin1', at, at + 4));
  return brands;
}

function head(file: Buffer): string {
  return file.toString('utf8', 0, HEAD_BYTES).replace(/^\uFEFF/, '');
}
