/**
 * Generates product images as SVG of 600 by 600: simple bodies with light, shade and labels. They include images that
 * checks easily get wrong: pale products on white, small products, and products that look like a "no image" icon.
 */
import { strokeText } from './stroke-text.ts';

export interface ProductImage {
  readonly name: string;
  readonly svg: string;
}

/** `random` returns numbers from 0 to below 1; the same numbers give the same images. */
export function productImages(count: number, random: () => number): readonly ProductImage[] {
  const kinds = Object.entries(PRODUCTS);
  return Array.from({ length: count }, (_, index) => {
    const [name, draw] = kinds[index % kinds.length] as [string, (style: ProductStyle) => string];
    const hue = Math.floor(random() * 360);
    const style: ProductStyle = {
      light: `hsl(${hue} ${20 + Math.floor(random() * 60)}% 62%)`,
      dark: `hsl(${hue} 45% ${18 + Math.floor(random() * 25)}%)`,
      label: random() < 0.5 ? '#ffffff' : '#f4e8c1',
    };
    const turn_degrees = (random() - 0.5) * 14;
    const scale = 0.75 + random() * 0.4;
    const shift_x = (random() - 0.5) * 50;
    const shift_y = (random() - 0.5) * 40;
    const place = `translate(${300 + shift_x} ${300 + shift_y}) rotate(${turn_degrees}) scale(${scale}) translate(-300 -300)`;
    return { name: `${name}-${index}`, svg: onWhite(`<g transform="${place}">${draw(style)}</g>`, style) };
  });
}

interface ProductStyle {
  readonly light: string;
  readonly dark: string;
  readonly label: string;
}

/** Hard for the blank check: few pixels, or pixels that hardly differ from white. */
export const FAINT_PRODUCTS: readonly ProductImage[] = [
  faint(
    'white-shirt',
    'M200 150L260 130Q300 160 340 130L400 150L450 240L405 262L390 225V470H210V225L195 262L150 240Z',
    '#f1f1f1',
    '#dedede',
  ),
  faint('white-mug', 'M190 190H380V420Q285 450 190 420ZM380 240Q460 240 450 310T380 370', '#f5f5f4', '#d9d9d6'),
  faint('white-plate', 'M300 90A210 210 0 1 0 300 510A210 210 0 1 0 300 90', '#f4f4f4', '#e2e2e2'),
  faint('ring', 'M300 262A38 38 0 1 0 300 338A38 38 0 1 0 300 262', 'none', '#b58a1e'),
  faint('needle', 'M120 330L480 270', 'none', '#8a8f98'),
];

const PRODUCTS: Readonly<Record<string, (style: ProductStyle) => string>> = {
  bottle: ({ dark, label }) =>
    `<path d="M270 80H330V170Q370 200 370 260V510Q370 530 350 530H250Q230 530 230 510V260Q230 200 270 170Z" fill="url(#body)" stroke="${dark}" stroke-width="3"/>` +
    `<rect x="232" y="310" width="136" height="120" fill="${label}"/>${words('SPRING', 370, 26, dark)}`,
  box: ({ dark, light }) =>
    `<path d="M150 220L320 270V500L150 430Z" fill="${dark}"/><path d="M320 270L460 200V420L320 500Z" fill="url(#body)"/><path d="M150 220L290 160L460 200L320 270Z" fill="${light}"/>`,
  mug: ({ dark }) =>
    `<path d="M380 240Q480 240 460 330T370 400" fill="none" stroke="${dark}" stroke-width="26"/><path d="M180 190H390V430Q285 470 180 430Z" fill="url(#body)"/><ellipse cx="285" cy="190" rx="105" ry="22" fill="${dark}"/>`,
  shirt: ({ dark }) =>
    `<path d="M200 150L260 130Q300 165 340 130L400 150L460 250L405 275L390 235V480H210V235L195 275L140 250Z" fill="url(#body)" stroke="${dark}" stroke-width="3"/>`,
  shoe: ({ dark }) =>
    `<path d="M120 400L150 270L250 290L330 350Q430 370 480 400V440H120Z" fill="url(#body)"/><rect x="112" y="436" width="376" height="26" rx="12" fill="${dark}"/>`,
  book: ({ dark, label }) =>
    `<rect x="170" y="110" width="260" height="380" fill="url(#body)"/><rect x="170" y="110" width="22" height="380" fill="${dark}"/>${words('A LIFE', 200, 40, label)}${words('OF SEA', 270, 40, label)}<circle cx="310" cy="390" r="50" fill="${label}"/>`,
  watch: ({ dark, light }) =>
    `<rect x="255" y="70" width="90" height="460" rx="26" fill="${dark}"/><circle cx="300" cy="300" r="112" fill="url(#body)" stroke="${dark}" stroke-width="14"/><circle cx="300" cy="300" r="84" fill="#fafafa"/><path d="M300 300V236M300 300L344 322" stroke="${light}" stroke-width="10"/>`,
  lamp: ({ dark }) =>
    `<path d="M220 120H380L440 300H160Z" fill="url(#body)"/><rect x="288" y="300" width="24" height="180" fill="${dark}"/><ellipse cx="300" cy="490" rx="90" ry="20" fill="${dark}"/>`,
  // A camera and a framed print are products too: these two are most similar to "no image" icons.
  camera: ({ dark, light }) =>
    `<rect x="120" y="200" width="360" height="230" rx="24" fill="url(#body)"/><rect x="250" y="160" width="110" height="50" rx="10" fill="${dark}"/><circle cx="315" cy="315" r="92" fill="${dark}"/><circle cx="315" cy="315" r="62" fill="#20242c"/><circle cx="292" cy="292" r="16" fill="${light}"/><rect x="140" y="222" width="54" height="28" rx="6" fill="#eeeeee"/>`,
  image: ({ dark, light }) =>
    `<rect x="110" y="140" width="380" height="320" fill="${dark}"/><rect x="140" y="170" width="320" height="260" fill="#dbe9f4"/><circle cx="390" cy="230" r="34" fill="#f5c542"/><path d="M140 430V340L230 260L310 350L370 310L460 400V430Z" fill="${light}"/>`,
  sign: ({ dark, label }) =>
    `<rect x="100" y="190" width="400" height="220" rx="14" fill="url(#body)" stroke="${dark}" stroke-width="8"/>${words('OPEN', 300, 100, label)}`,
};

function onWhite(drawing: string, { light, dark }: ProductStyle): string {
  return svg(
    `<defs><linearGradient id="body" x1="0" x2="1"><stop offset="0" stop-color="${light}"/><stop offset="0.35" stop-color="#ffffff" stop-opacity="0.75"/><stop offset="1" stop-color="${dark}"/></linearGradient></defs>` +
      `<ellipse cx="300" cy="520" rx="190" ry="16" fill="#000000" opacity="0.07"/>${drawing}`,
  );
}

function faint(name: string, path: string, fill: string, edge: string): ProductImage {
  return { name, svg: svg(`<path d="${path}" fill="${fill}" stroke="${edge}" stroke-width="7"/>`) };
}

function svg(content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 600" width="600" height="600"><rect width="600" height="600" fill="#ffffff"/>${content}</svg>`;
}

function words(text: string, y: number, letter_height: number, color: string): string {
  return strokeText(text, { x: 300, y, letter_height, color });
}
