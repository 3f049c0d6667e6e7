/** Draws words in generated images as strokes. SVG text would differ, or be missing, on machines with other fonts. */

/** Strokes on a grid of 4 by 6; `|` lifts the pen. */
const STROKES: Readonly<Record<string, string>> = {
  A: '0,6 2,0 4,6|1,4 3,4',
  B: '0,0 0,6 3,6 4,5 4,4 3,3 0,3|0,0 3,0 4,1 4,2 3,3',
  C: '4,1 3,0 1,0 0,1 0,5 1,6 3,6 4,5',
  D: '0,0 0,6 2,6 4,4 4,2 2,0 0,0',
  E: '4,0 0,0 0,6 4,6|0,3 3,3',
  F: '4,0 0,0 0,6|0,3 3,3',
  G: '4,1 3,0 1,0 0,1 0,5 1,6 3,6 4,5 4,3 2,3',
  H: '0,0 0,6|4,0 4,6|0,3 4,3',
  I: '2,0 2,6|1,0 3,0|1,6 3,6',
  L: '0,0 0,6 4,6',
  M: '0,6 0,0 2,3 4,0 4,6',
  N: '0,6 0,0 4,6 4,0',
  O: '1,0 3,0 4,1 4,5 3,6 1,6 0,5 0,1 1,0',
  P: '0,6 0,0 3,0 4,1 4,2 3,3 0,3',
  R: '0,6 0,0 3,0 4,1 4,2 3,3 0,3|2,3 4,6',
  S: '4,1 3,0 1,0 0,1 0,2 1,3 3,3 4,4 4,5 3,6 1,6 0,5',
  T: '0,0 4,0|2,0 2,6',
  U: '0,0 0,5 1,6 3,6 4,5 4,0',
  V: '0,0 2,6 4,0',
  Y: '0,0 2,3 4,0|2,3 2,6',
  ' ': '',
};

const LETTER_PITCH = 5.4;
const LETTER_HEIGHT = 6;

export interface StrokeTextOptions {
  /** Center of the line. */
  readonly x: number;
  readonly y: number;
  readonly letter_height: number;
  readonly color: string;
  /** Height of a letter. */
  readonly weight?: number;
}

/** Draws one line of capitals as SVG. */
export function strokeText(text: string, options: StrokeTextOptions): string {
  const scale = options.letter_height / LETTER_HEIGHT;
  const width = (text.length * LETTER_PITCH - (LETTER_PITCH - 4)) * scale;
  const path = Array.from(text, (letter, index) => {
    const strokes = STROKES[letter];
    if (strokes === undefined) throw new Error(`No strokes for ${letter}.`);
    if (strokes === '') return '';
    return strokes
      .split('|')
      .map((stroke) => {
        const points = stroke.split(' ').map((point) => {
          const [x = 0, y = 0] = point.split(',').map(Number);
          return `${((x + index * LETTER_PITCH) * scale).toFixed(2)} ${(y * scale).toFixed(2)}`;
        });
        return `M${points.join('L')}`;
      })
      .join('');
  }).join('');
  const left = (options.x - width / 2).toFixed(2);
  const top = (options.y - options.letter_height / 2).toFixed(2);
  const thickness = (options.letter_height * (options.weight ?? 0.14)).toFixed(2);
  return `<path transform="translate(${left} ${top})" d="${path}" fill="none" stroke="${options.color}" stroke-width="${thickness}" stroke-linejoin="round" stroke-linecap="round"/>`;
}
