/**
 * Generates images for measuring the detection of logos and watermarks, the same each time: images that look like photos, with
 * and without marks, and marks on a plain ground. The figures show what the checks can do, not what merchants send.
 */
import sharp from 'sharp';
import { productImages } from './product-images.ts';
import { seededRandom } from './seeded-random.ts';
import { strokeText } from './stroke-text.ts';

export interface DrawnMark {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly draw: (ink: string) => string;
}

const STAR = 'M200 70L240 150L330 160L262 220L282 310L200 262L118 310L138 220L70 160L160 150Z';

/** Marks that operators add as samples. */
export const SAMPLE_MARKS: readonly DrawnMark[] = [
  line('one line', 'SAMPLE STORE'),
  mark('ring', 400, 400, (ink) => `${ring(ink)}<path d="${STAR}" fill="${ink}"/>${text('NORDIC', 200, 345, 30, ink)}`),
  mark('two lines', 520, 260, (ink) => text('HARBOR', 260, 80, 100, ink) + text('FINE GOODS', 260, 205, 50, ink)),
  mark('slanted', 440, 440, (ink) => slanted(text('PROOF COPY', 220, 220, 60, ink))),
  mark('emblem', 360, 240, (ink) => {
    const open = `<path d="M180 220L260 20L340 220Z" fill="none" stroke="${ink}" stroke-width="24"/>`;
    return `<path d="M20 220L100 20L180 220Z" fill="${ink}"/>${open}<rect x="80" y="120" width="200" height="24" fill="${ink}"/>`;
  }),
];

/** Marks that are no samples. */
const OTHER_MARKS: readonly DrawnMark[] = [
  line('other line', 'GARDEN HOUSE'),
  mark('other ring', 400, 400, (ink) => ring(ink) + text('BOLD', 200, 200, 90, ink)),
  mark('grid', 400, 400, (ink) =>
    [50, 150, 250, 350].map((at) => `<path d="M${at} 0V400M0 ${at}H400" stroke="${ink}" stroke-width="12"/>`).join(''),
  ),
  mark('other slanted', 440, 440, (ink) => slanted(text('DRAFT ONLY', 220, 220, 60, ink))),
];

/** Nine of its twelve letters are those of a sample. */
const NEAR_MARK = line('near line', 'SIMPLE STONE');

export interface GeneratedImage {
  readonly name: string;
  /** Index of the sample that it shows; null: none. */
  readonly shows: number | null;
  readonly kind: 'logo' | 'watermark' | 'no mark' | 'other mark' | 'similar mark';
  /** Created on demand, so that a set of hundreds is not in memory at once. */
  make(): Promise<Buffer>;
}

const OPACITIES = [0.3, 0.3, 0.4, 0.5, 0.7, 0.9];

/** `count` watermarked photos, as many without a sample, and a quarter as many logos. Another seed gives other images. */
export function generatedImages(count: number, seed: number): readonly GeneratedImage[] {
  const samples = SAMPLE_MARKS.length;
  const watermarks = Array.from({ length: count }, (_, index): GeneratedImage => {
    const opacity = OPACITIES[index % OPACITIES.length] as number;
    const shows = Math.floor(index / OPACITIES.length) % samples;
    return watermarked(`${opacity * 100} %`, 'watermark', shows, seed + index, SAMPLE_MARKS[shows], opacity);
  });
  const others = Array.from({ length: count }, (_, index): GeneratedImage => {
    const own = seed + 10_000 + index;
    if (index % 10 === 9) return watermarked('similar', 'similar mark', null, own, NEAR_MARK, 0.6);
    if (index % 2 === 0) return watermarked('plain', 'no mark', null, own, undefined, 0);
    const other = OTHER_MARKS[(index >> 1) % OTHER_MARKS.length];
    return watermarked('other', 'other mark', null, own, other, 0.3 + (index % 7) / 10);
  });
  const logos = Array.from({ length: Math.ceil(count / 4) }, (_, index): GeneratedImage => {
    const isOther = index % 4 === 3;
    const shows = isOther ? null : index % samples;
    const shown = (
      isOther ? OTHER_MARKS[(index >> 2) % OTHER_MARKS.length] : SAMPLE_MARKS[index % samples]
    ) as DrawnMark;
    const make = () => logo(shown, seed + 20_000 + index);
    return { name: `logo/${shown.name}/${index}`, shows, kind: isOther ? 'other mark' : 'logo', make };
  });
  return [...watermarks, ...others, ...logos];
}

/** The sample as an operator has it. */
export function sampleFile(index: number): Promise<Buffer> {
  const drawn = SAMPLE_MARKS[index] as DrawnMark;
  return sharp(Buffer.from(svgOf(drawn, '#000000')))
    .extend({ top: 30, bottom: 10, left: 20, right: 25, background: '#0000' })
    .png()
    .toBuffer();
}

function watermarked(
  title: string,
  kind: GeneratedImage['kind'],
  shows: number | null,
  seed: number,
  drawn: DrawnMark | undefined,
  opacity: number,
): GeneratedImage {
  const name = `${title}/${drawn?.name ?? 'none'}/${seed}`;
  return { name, shows, kind, make: () => photoWithMark(seed, drawn, opacity) };
}

const SIZES = [
  [600, 600],
  [800, 600],
  [500, 700],
  [900, 900],
  [400, 300],
] as const;

/** The mark is white on dark images and black on light ones, of any size from a quarter of the image, and anywhere in it. */
async function photoWithMark(seed: number, drawn: DrawnMark | undefined, opacity: number): Promise<Buffer> {
  const random = seededRandom(seed);
  const [width, height] = SIZES[Math.floor(random() * SIZES.length)] as (typeof SIZES)[number];
  const raw = { width, height, channels: 3 } as const;
  let image = sharp(await photo(random, width, height), { raw });
  if (drawn !== undefined) {
    const scale = Math.min(width / drawn.width, height / drawn.height) * (0.27 + random() * 0.68);
    const size = { width: Math.round(drawn.width * scale), height: Math.round(drawn.height * scale) };
    const left = Math.floor(random() * (width - size.width + 1));
    const top = Math.floor(random() * (height - size.height + 1));
    const below = await image
      .clone()
      .extract({ left, top, ...size })
      .png()
      .toBuffer();
    const [ground] = (await sharp(below).grayscale().stats()).channels;
    const ink = (ground?.mean ?? 0) > 127 ? '#000000' : '#ffffff';
    const layer = await sharp(Buffer.from(svgOf(drawn, ink)))
      .resize({ ...size, fit: 'fill' })
      .ensureAlpha()
      .raw()
      .toBuffer();
    for (let at = 3; at < layer.length; at += 4) layer[at] = Math.round((layer[at] as number) * opacity);
    image = image.composite([{ input: layer, raw: { ...size, channels: 4 }, left, top }]);
  }
  return image.jpeg({ quality: 60 + Math.floor(random() * 35) }).toBuffer();
}

/** A logo on a plain ground, in any color, size and place. */
function logo(drawn: DrawnMark, seed: number): Promise<Buffer> {
  const random = seededRandom(seed);
  const [width, height] = SIZES[Math.floor(random() * SIZES.length)] as (typeof SIZES)[number];
  const isLight = random() < 0.5;
  const color = (light: boolean) => `hsl(${Math.floor(random() * 360)} 60% ${light ? 92 : 25}%)`;
  const [ground, ink] = [color(!isLight), color(isLight)];
  const scale = Math.min(width / drawn.width, height / drawn.height) * (0.25 + random() * 0.65);
  const left = random() * (width - drawn.width * scale);
  const top = random() * (height - drawn.height * scale);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${ground}"/><g transform="translate(${left} ${top}) scale(${scale})">${drawn.draw(ink)}</g></svg>`;
  return sharp(Buffer.from(svg))
    .removeAlpha()
    .jpeg({ quality: 60 + Math.floor(random() * 35) })
    .toBuffer();
}

/** A quarter are products on white. The others have clouds of color in several sizes, shaded shapes, words and grain. */
async function photo(random: () => number, width: number, height: number): Promise<Buffer> {
  if (random() < 0.25) {
    const products = productImages(1 + Math.floor(random() * 11), random);
    const image = sharp(Buffer.from(products.at(-1)?.svg ?? ''));
    return image.resize(width, height, { fit: 'contain', background: '#ffffff' }).removeAlpha().raw().toBuffer();
  }
  // Clouds are soft, so a third of the size is enough.
  const small = { width: Math.round(width / 3), height: Math.round(height / 3) };
  const base = [1, 2, 3].map(() => 20 + random() * 200);
  const colors = Float32Array.from({ length: small.width * small.height * 3 }, (_, at) => base[at % 3] as number);
  const fade = 0.35 + 0.35 * random();
  let amplitude = 70 + random() * 40;
  for (let cells = 2; cells <= 128; cells *= 2) {
    const cell = Buffer.from(Uint8Array.from({ length: (cells + 1) ** 2 * 3 }, () => Math.floor(random() * 256)));
    const cloud = await sharp(cell, { raw: { width: cells + 1, height: cells + 1, channels: 3 } })
      .resize(small.width, small.height, { fit: 'fill', kernel: 'cubic' })
      .raw()
      .toBuffer();
    const tint = random();
    for (let at = 0; at < colors.length; at += 1) {
      const level = (1 - tint) * (cloud[at - (at % 3)] as number) + tint * (cloud[at] as number);
      colors[at] = (colors[at] as number) + (amplitude * (level - 128)) / 128;
    }
    amplitude *= fade;
  }
  const clouds = Buffer.from(Uint8ClampedArray.from(colors));
  const pixels = await sharp(clouds, { raw: { ...small, channels: 3 } })
    .resize(width, height, { fit: 'fill' })
    .raw()
    .toBuffer();
  const grain = random() * 12;
  for (let at = 0; at < pixels.length; at += 1) {
    pixels[at] = Math.max(0, Math.min(255, (pixels[at] as number) + (random() - 0.5) * grain));
  }
  const shapes = Array.from({ length: Math.floor(random() * 9) }, (_, index) => shape(random, index, width, height));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes.join('')}</svg>`;
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .composite([{ input: Buffer.from(svg) }])
    .removeAlpha()
    .raw()
    .toBuffer();
}

const WORDS = ['SALE', 'HOT', 'OPEN', 'MOBILE PHONE', 'FRESH FOOD'];

function shape(random: () => number, index: number, width: number, height: number): string {
  const [x, y, radius] = [random() * width, random() * height, (0.05 + random() * 0.3) * width];
  const hue = Math.floor(random() * 360);
  const stops = `<stop stop-color="hsl(${hue} 50% ${20 + random() * 60}%)"/><stop offset="1" stop-color="hsl(${hue} 60% ${10 + random() * 50}%)"/>`;
  const gradient = `<linearGradient id="g${index}" x2="${random()}" y2="${random()}">${stops}</linearGradient>`;
  const fill = `fill="url(#g${index})"`;
  const forms = [
    () => `<circle cx="${x}" cy="${y}" r="${radius}" ${fill}/>`,
    () =>
      `<rect x="${x - radius}" y="${y - radius / 2}" width="${2 * radius}" height="${radius}" ${fill} transform="rotate(${random() * 60 - 30} ${x} ${y})"/>`,
    () => `<path d="M${x} ${y - radius}L${x + radius} ${y + radius}L${x - radius} ${y + radius / 2}Z" ${fill}/>`,
    () =>
      text(
        WORDS[index % WORDS.length] as string,
        x,
        y,
        radius / 3 + 10,
        `hsl(${hue} 50% ${random() < 0.5 ? 20 : 85}%)`,
      ),
  ];
  return gradient + forms[Math.floor(random() * forms.length)]?.();
}

function mark(name: string, width: number, height: number, draw: DrawnMark['draw']): DrawnMark {
  return { name, width, height, draw };
}

function line(name: string, letters: string): DrawnMark {
  const width = Math.ceil(letters.length * 72 + 16);
  return mark(name, width, 96, (ink) => text(letters, width / 2, 48, 80, ink));
}

function text(letters: string, x: number, y: number, letter_height: number, color: string): string {
  return strokeText(letters, { x, y, letter_height, color });
}

function ring(ink: string): string {
  return `<circle cx="200" cy="200" r="180" fill="none" stroke="${ink}" stroke-width="20"/>`;
}

function slanted(drawn: string): string {
  return `<g transform="rotate(-45 220 220)">${drawn}</g>`;
}

function svgOf({ width, height, draw }: DrawnMark, ink: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${draw(ink)}</svg>`;
}
