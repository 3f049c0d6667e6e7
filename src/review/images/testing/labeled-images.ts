/**
 * Labeled image set for measuring blank and placeholder detection, generated with sharp and the same each time.
 * Because the images are generated, the figures show what the checks can do, not what merchants send.
 */
import sharp from 'sharp';
import {
  LISTED_COLORS,
  LISTED_LAYOUTS,
  type PlaceholderColors,
  placeholderSvg,
  UNLISTED_LAYOUTS,
} from './placeholder-images.ts';
import { FAINT_PRODUCTS, productImages } from './product-images.ts';
import { seededRandom } from './seeded-random.ts';

export type ImageLabel = 'image' | 'blank' | 'listed placeholder' | 'unlisted placeholder';

export interface LabeledImage {
  readonly name: string;
  readonly label: ImageLabel;
  /** Created on demand, so that a set of hundreds is not in memory at once. */
  make(): Promise<Buffer>;
}

const COLORS: readonly PlaceholderColors[] = [
  LISTED_COLORS,
  { ground: '#ffffff', ink: '#000000' },
  { ground: '#333333', ink: '#eeeeee' },
  { ground: '#dfe7ee', ink: '#5b7c99' },
];

/** The same image in other sizes, formats and qualities, as hosts deliver it. */
const DELIVERIES: readonly Delivery[] = [
  { name: 'jpeg-90-600', format: 'jpeg', quality: 90, width: 600, height: 600 },
  { name: 'jpeg-40-300', format: 'jpeg', quality: 40, width: 300, height: 300 },
  { name: 'png-1000', format: 'png', quality: 100, width: 1000, height: 1000 },
  { name: 'webp-60-200', format: 'webp', quality: 60, width: 200, height: 200 },
  { name: 'jpeg-75-800x600', format: 'jpeg', quality: 75, width: 800, height: 600 },
  { name: 'jpeg-75-cropped', format: 'jpeg', quality: 75, width: 500, height: 500, cropped: 9 },
];

interface Delivery {
  readonly name: string;
  readonly format: 'jpeg' | 'png' | 'webp';
  readonly quality: number;
  readonly width: number;
  readonly height: number;
  /** Pixels cropped from the left and top, of 600. */
  readonly cropped?: number;
}

/** Another seed gives other products: limits were chosen on one seed and are measured on another. */
export function labeledImages(products: number, seed: number): readonly LabeledImage[] {
  return [...productSet(products, seed), ...texturedSet(), ...blankSet(), ...placeholderSet()];
}

function productSet(count: number, seed: number): LabeledImage[] {
  return [...productImages(count, seededRandom(seed)), ...FAINT_PRODUCTS].map((product, index) => {
    const delivery = DELIVERIES[index % DELIVERIES.length] as Delivery;
    return {
      name: `product/${product.name}/${delivery.name}`,
      label: 'image',
      make: () => deliver(product.svg, delivery),
    };
  });
}

/** Images that are neither products nor blank. They show something, and no rule forbids them. */
function texturedSet(): LabeledImage[] {
  const gradients = ['#000000,#ffffff', '#d02030,#f0c040', '#3a7bd5,#00d2ff', '#ffffff,#c8c8c8'].flatMap((stops) =>
    [0, 1].map((vertical): LabeledImage => {
      const [from, to] = stops.split(',');
      const image = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600"><linearGradient id="g" x2="${1 - vertical}" y2="${vertical}"><stop stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient><rect width="600" height="600" fill="url(#g)"/></svg>`;
      return {
        name: `gradient/${stops}/${vertical === 1 ? 'down' : 'across'}`,
        label: 'image',
        make: () => deliver(image, DELIVERIES[0] as Delivery),
      };
    }),
  );
  const noises = [1, 2, 3, 4].map(
    (seed): LabeledImage => ({
      name: `noise/${seed}`,
      label: 'image',
      // Coarse enough to be visible: single-pixel noise is an even gray to the eye, and to the check.
      make: () => speckled({ seed, ground: [128, 128, 128], spread: 120, cells: 40, quality: 80 }),
    }),
  );
  return [...gradients, ...noises];
}

function blankSet(): LabeledImage[] {
  const grounds: readonly (readonly [number, number, number])[] = [
    [255, 255, 255],
    [0, 0, 0],
    [128, 128, 128],
    [240, 238, 230],
    [20, 60, 140],
    [200, 30, 30],
  ];
  return grounds.flatMap((ground, index): LabeledImage[] => {
    const background = { r: ground[0], g: ground[1], b: ground[2] };
    const even = () => sharp({ create: { width: 500, height: 400, channels: 3, background } });
    const name = ground.join('-');
    return [
      { name: `blank/${name}/png`, label: 'blank', make: () => even().png().toBuffer() },
      { name: `blank/${name}/jpeg-30`, label: 'blank', make: () => even().jpeg({ quality: 30 }).toBuffer() },
      {
        name: `blank/${name}/grain`,
        label: 'blank',
        make: () => speckled({ seed: index, ground, spread: 10, cells: 400, quality: 50 }),
      },
      {
        name: `blank/${name}/small-grain`,
        label: 'blank',
        make: async () =>
          sharp(await speckled({ seed: index, ground, spread: 8, cells: 200, quality: 95 }))
            .resize(200, 200)
            .jpeg()
            .toBuffer(),
      },
      {
        name: `blank/${name}/uneven-light`,
        label: 'blank',
        make: () => unevenlyLit(ground),
      },
      {
        name: `blank/${name}/transparent`,
        label: 'blank',
        make: () =>
          sharp({ create: { width: 400, height: 400, channels: 4, background: { ...background, alpha: 0 } } })
            .png()
            .toBuffer(),
      },
    ];
  });
}

function placeholderSet(): LabeledImage[] {
  const of = (layouts: typeof LISTED_LAYOUTS, label: ImageLabel) =>
    Object.entries(layouts).flatMap(([name, layout]) =>
      COLORS.flatMap((colors, index) =>
        DELIVERIES.map(
          (delivery): LabeledImage => ({
            name: `${label}/${name}/${index}/${delivery.name}`,
            label,
            make: () => deliver(placeholderSvg(layout, colors), delivery),
          }),
        ),
      ),
    );
  return [...of(LISTED_LAYOUTS, 'listed placeholder'), ...of(UNLISTED_LAYOUTS, 'unlisted placeholder')];
}

function deliver(svg: string, { format, quality, width, height, cropped = 0 }: Delivery): Promise<Buffer> {
  const image = sharp(Buffer.from(svg))
    .extract({ left: cropped, top: cropped, width: 600 - cropped, height: 600 - cropped })
    .resize(width, height, { fit: 'fill' })
    .removeAlpha();
  return (format === 'png' ? image.png() : image[format]({ quality })).toBuffer();
}

interface Speckles {
  readonly seed: number;
  readonly ground: readonly [number, number, number];
  /** Levels by which a cell may differ, up and down together. */
  readonly spread: number;
  /** Cells per side. */
  readonly cells: number;
  readonly quality: number;
}

function speckled({ seed, ground, spread, cells, quality }: Speckles): Promise<Buffer> {
  const random = seededRandom(seed);
  const pixels = Buffer.alloc(cells * cells * 3);
  for (let at = 0; at < pixels.length; at += 1) {
    const level = (ground[at % 3] as number) + (random() - 0.5) * spread;
    pixels[at] = Math.max(0, Math.min(255, Math.round(level)));
  }
  return sharp(pixels, { raw: { width: cells, height: cells, channels: 3 } })
    .resize(400, 400, { kernel: 'nearest' })
    .jpeg({ quality })
    .toBuffer();
}

/** Draws a sheet of one color that is lit from one side: 5 levels from edge to edge. */
function unevenlyLit(ground: readonly [number, number, number]): Promise<Buffer> {
  const side = 400;
  const pixels = Buffer.alloc(side * side * 3);
  for (let at = 0; at < pixels.length; at += 1) {
    const shade = ((Math.floor(at / 3) % side) / side) * 5;
    const level = ground[at % 3] as number;
    pixels[at] = Math.round(level > 127 ? level - shade : level + shade);
  }
  return sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .jpeg({ quality: 60 })
    .toBuffer();
}
