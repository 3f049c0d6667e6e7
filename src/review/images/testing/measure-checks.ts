/** In charge of precision and recall of the blank and the placeholder check on labelled pictures. */
import type { ImageJudge, Judgement } from '../judge-image.ts';
import type { LabelledPicture, PictureLabel } from './labelled-pictures.ts';

export interface CheckFigures {
  readonly check: 'blank' | 'placeholder';
  /** What the check is to find. */
  readonly sought: PictureLabel;
  readonly found: number;
  readonly missed: readonly string[];
  /** Found, and labelled as a picture of something. */
  readonly mistaken: readonly string[];
  readonly precision: number;
  readonly recall: number;
}

export interface Measured {
  readonly counts: Readonly<Record<PictureLabel, number>>;
  readonly figures: readonly CheckFigures[];
  /** On average, without making the picture. */
  readonly judge_ms: number;
}

const SOUGHT: readonly Pick<CheckFigures, 'check' | 'sought'>[] = [
  { check: 'blank', sought: 'blank' },
  { check: 'placeholder', sought: 'listed placeholder' },
  { check: 'placeholder', sought: 'unlisted placeholder' },
];

export async function measureChecks(judge: ImageJudge, pictures: readonly LabelledPicture[]): Promise<Measured> {
  const counts = { picture: 0, blank: 0, 'listed placeholder': 0, 'unlisted placeholder': 0 };
  const seen: { readonly picture: LabelledPicture; readonly judgement: Judgement }[] = [];
  let judge_ms = 0;
  for (const picture of pictures) {
    counts[picture.label] += 1;
    const file = await picture.make();
    const started_ms = performance.now();
    seen.push({ picture, judgement: await judge.judge(file) });
    judge_ms += (performance.now() - started_ms) / pictures.length;
  }
  const figures = SOUGHT.map(({ check, sought }): CheckFigures => {
    const names = (label: PictureLabel, isFound: boolean) =>
      seen
        .filter(({ picture, judgement }) => picture.label === label && hasFailed(judgement, check) === isFound)
        .map(({ picture }) => picture.name);
    const found = names(sought, true).length;
    const missed = names(sought, false);
    const mistaken = names('picture', true);
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
  return { counts, figures, judge_ms };
}

function hasFailed(judgement: Judgement, check: CheckFigures['check']): boolean {
  return judgement.checks.some((result) => result.check === check && result.state === 'failed');
}
