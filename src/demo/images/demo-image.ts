/**
 * Draws the sample images of the demo on first use, so that its offers pass the review without a network and the
 * repository holds no image files.
 */
export type DemoImageName = keyof typeof DRAWINGS;

/** On 600 by 600. */
const DRAWINGS = Object.freeze({
  mug:
    '<path d="M385 250Q500 245 480 340T372 425" fill="none" stroke="#8c3b2a" stroke-width="30"/>' +
    '<path d="M170 180H395V440Q395 480 355 480H210Q170 480 170 440Z" fill="url(#clay)"/>' +
    '<ellipse cx="282" cy="180" rx="112" ry="26" fill="#6d2c20"/><ellipse cx="282" cy="186" rx="96" ry="18" fill="#2f1712"/>',
  kettle:
    '<path d="M190 250Q300 -10 410 250" fill="none" stroke="#2b3440" stroke-width="26"/>' +
    '<path d="M430 330L520 230L545 250L470 400Z" fill="#46586b"/>' +
    '<path d="M160 470Q140 200 300 190Q460 200 440 470Z" fill="url(#steel)"/>' +
    '<ellipse cx="300" cy="472" rx="142" ry="22" fill="#2b3440"/><circle cx="300" cy="178" r="20" fill="#2b3440"/>',
  lamp:
    '<path d="M215 110H385L450 310H150Z" fill="url(#linen)"/><ellipse cx="300" cy="310" rx="150" ry="18" fill="#c69b4f"/>' +
    '<rect x="288" y="318" width="24" height="170" fill="#5a4632"/><ellipse cx="300" cy="496" rx="96" ry="24" fill="#4a3928"/>',
} as const);

const SHADES = Object.entries({
  clay: ['#c65f45', '#f2a58c', '#7c2f20'],
  steel: ['#8ea1b4', '#f4f8fb', '#5d6f82'],
  linen: ['#e8cf9a', '#fff6e0', '#cda75f'],
})
  .map(
    ([id, [left, light, right]]) =>
      `<linearGradient id="${id}"><stop stop-color="${left}"/><stop offset="0.4" stop-color="${light}"/><stop offset="1" stop-color="${right}"/></linearGradient>`,
  )
  .join('');

export const DEMO_IMAGE_NAMES = Object.freeze(Object.keys(DRAWINGS) as DemoImageName[]);

const drawn = new Map<DemoImageName, Promise<Buffer>>();

/** A JPEG of 600 by 600, drawn once. */
export function demoImage(name: DemoImageName): Promise<Buffer> {
  const image = drawn.get(name) ?? draw(name);
  drawn.set(name, image);
  return image;
}

async function draw(name: DemoImageName): Promise<Buffer> {
  // It takes longer to load than most servers need for their start.
  const { default: sharp } = await import('sharp');
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600"><defs>${SHADES}</defs><rect width="600" height="600" fill="#ffffff"/>` +
    `<ellipse cx="300" cy="510" rx="210" ry="20" fill="#000000" opacity="0.08"/>${DRAWINGS[name]}</svg>`;
  return sharp(Buffer.from(svg)).removeAlpha().jpeg({ quality: 85 }).toBuffer();
}
