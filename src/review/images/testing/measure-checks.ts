/** Measures precision and recall of the blank and the placeholder check on labeled images. */
import type { Verdict } from '../inspect-image.ts';
import type { ImageLabel, LabeledImage } from './labeled-images.ts';

export interface CheckFigures {
  readonly check: 'blank' | 'placeholder';
  /** The label that the check should detect. */
  readonly sought: ImageLabel;
  readonly found: number;
  readonly missed: readonly string[];
  /** Names of images that the check flagged although they show something. */
  readonly mistaken: readonly string[];
  readonly precision: number;
  readonly recall: number;
}

export interface Measured {
  readonly counts: Readonly<Record<ImageLabel, number>>;
  readonly figures: readonly CheckFigures[];
  /** Average time per image, without creating it. */
  readonly review_ms: number;
}

const SOUGHT: readonly Pick<CheckFigures, 'check' | 'sought'>[] = [
  { check: 'blank', sought: 'blank' },
  { check: 'placeholder', sought: 'listed placeholder' },
  { check: 'placeholder', sought: 'unlisted placeholder' },
];

export async function measureChecks(
  review: (file: Buffer) => Promise<Verdict>,
  images: readonly LabeledImage[],
): Promise<Measured> {
  const counts = { image: 0, blank: 0, 'listed placeholder': 0, 'unlisted placeholder': 0 };
  const seen: { readonly image: LabeledImage; readonly verdict: Verdict }[] = [];
  let review_ms = 0;
  for (const image of images) {
    counts[image.label] += 1;
    const file = await image.make();
    const started_ms = performance.now();
    seen.push({ image, verdict: await review(file) });
    review_ms += (performance.now() - started_ms) / images.length;
  }
  const figures = SOUGHT.map(({ check, sought }): CheckFigures => {
    const names = (label: ImageLabel, isFound: boolean) =>
      seen
        .filter(({ image, verdict }) => image.label === label && hasFailed(verdict, check) === isFound)
        .map(({ image }) => image.name);
    const found = names(sought, true).length;
    const missed = names(sought, false);
    const mistaken = names('image', true);
    return {
      check,
      sought,
      found,
      missed,
      mistaken,
      precision: found + mistaken.length === 0 ? 1 : found / (found + mistaken.length),
      recall: found / (found + missed.length),
    };
  });
  return { counts, figures, review_ms };
}

function hasFailed(verdict: Verdict, check: CheckFigures['check']): boolean {
  return verdict.checks.some((result) => result.check === check && result.state === 'failed');
}
