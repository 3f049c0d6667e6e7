/**
 * Draws the sample images of the demo on first use, so that its offers pass the review without a network and the
 * repository holds no image files.
 */

/** SVG on 600 by 600, in the shade of the image: `url(#shade)` is its gradient, `#dark` its darkest tone. */
const DRAWINGS = Object.freeze({
  mug:
    '<path d="M385 250Q500 245 480 340T372 425" fill="none" stroke="#dark" stroke-width="30"/>' +
    '<path d="M170 180H395V440Q395 480 355 480H210Q170 480 170 440Z" fill="url(#shade)"/>' +
    '<ellipse cx="282" cy="180" rx="112" ry="26" fill="#dark"/><ellipse cx="282" cy="186" rx="96" ry="18" fill="#2f1712"/>',
  kettle:
    '<path d="M190 250Q300 -10 410 250" fill="none" stroke="#2b3440" stroke-width="26"/>' +
    '<path d="M430 330L520 230L545 250L470 400Z" fill="#dark"/>' +
    '<path d="M160 470Q140 200 300 190Q460 200 440 470Z" fill="url(#shade)"/>' +
    '<ellipse cx="300" cy="472" rx="142" ry="22" fill="#2b3440"/><circle cx="300" cy="178" r="20" fill="#2b3440"/>',
  lamp:
    '<path d="M215 110H385L450 310H150Z" fill="url(#shade)"/><ellipse cx="300" cy="310" rx="150" ry="18" fill="#dark"/>' +
    '<rect x="288" y="318" width="24" height="170" fill="#5a4632"/><ellipse cx="300" cy="496" rx="96" ry="24" fill="#4a3928"/>',
  bowl:
    '<path d="M110 260Q130 500 300 500T490 260Z" fill="url(#shade)"/><rect x="230" y="492" width="140" height="18" fill="#dark"/>' +
    '<ellipse cx="300" cy="260" rx="190" ry="44" fill="#dark"/><ellipse cx="300" cy="268" rx="170" ry="34" fill="#f7f1e6"/>',
  cushion:
    '<path d="M130 150Q300 190 470 150Q430 315 470 480Q300 440 130 480Q170 315 130 150Z" fill="url(#shade)"/>' +
    '<path d="M175 195Q300 222 425 195M175 435Q300 408 425 435" fill="none" stroke="#dark" stroke-width="6"/>',
  candle:
    '<path d="M300 130Q335 190 300 222Q265 190 300 130Z" fill="#f6b73c"/><rect x="296" y="216" width="8" height="40" fill="#3a2d20"/>' +
    '<rect x="190" y="250" width="220" height="250" rx="18" fill="url(#shade)"/>' +
    '<rect x="235" y="330" width="130" height="90" fill="#fbf7ee"/><path d="M252 360H348M252 388H320" stroke="#dark" stroke-width="8"/>',
  vase:
    '<path d="M250 130H350V220Q450 300 440 400Q430 500 360 505H240Q170 500 160 400Q150 300 250 220Z" fill="url(#shade)"/>' +
    '<ellipse cx="300" cy="130" rx="50" ry="14" fill="#dark"/>',
  shirt:
    '<path d="M225 130Q300 200 375 130L520 215L470 300L420 275V490H180V275L130 300L80 215Z" fill="url(#shade)"/>' +
    '<path d="M225 130Q300 200 375 130" fill="none" stroke="#dark" stroke-width="14"/>',
} as const);

export type DemoImageName = keyof typeof DRAWINGS;

export const DEMO_IMAGE_NAMES = Object.freeze(Object.keys(DRAWINGS) as DemoImageName[]);

/** The gradient from left to right, then the darkest tone. */
const SHADES = Object.freeze({
  terracotta: ['#c65f45', '#f2a58c', '#7c2f20', '#6d2c20'],
  slate: ['#8ea1b4', '#f4f8fb', '#5d6f82', '#46586b'],
  linen: ['#e8cf9a', '#fff6e0', '#cda75f', '#c69b4f'],
  moss: ['#7d9a5f', '#c4d7a8', '#4c6535', '#3f552c'],
  ink: ['#4a6591', '#a9bddd', '#27395a', '#1f2e4a'],
  plum: ['#8d5a84', '#d0a9c8', '#57314f', '#492942'],
} as const);

export type DemoShade = keyof typeof SHADES;

export const DEMO_SHADES = Object.freeze(Object.keys(SHADES) as DemoShade[]);

/** The default shade. */
const OWN_SHADES: Readonly<Partial<Record<DemoImageName, DemoShade>>> = { kettle: 'slate', lamp: 'linen' };

const drawn = new Map<string, Promise<Buffer>>();

/** Returns a JPEG of 600 by 600, drawn once. */
export function demoImage(name: DemoImageName, shade: DemoShade = OWN_SHADES[name] ?? 'terracotta'): Promise<Buffer> {
  const key = `${name} ${shade}`;
  const image = drawn.get(key) ?? draw(name, shade);
  drawn.set(key, image);
  return image;
}

async function draw(name: DemoImageName, shade: DemoShade): Promise<Buffer> {
  // Loaded on demand, because it takes longer to load than most servers need to start.
  const { default: sharp } = await import('sharp');
  const [left, light, right, dark] = SHADES[shade];
  const gradient = `<linearGradient id="shade"><stop stop-color="${left}"/><stop offset="0.4" stop-color="${light}"/><stop offset="1" stop-color="${right}"/></linearGradient>`;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600"><defs>${gradient}</defs><rect width="600" height="600" fill="#ffffff"/>` +
    `<ellipse cx="300" cy="510" rx="210" ry="20" fill="#000000" opacity="0.08"/>${DRAWINGS[name].replaceAll('#dark', dark)}</svg>`;
  return sharp(Buffer.from(svg)).removeAlpha().jpeg({ quality: 85 }).toBuffer();
}
