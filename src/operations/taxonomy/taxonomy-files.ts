/** Defines the port to the thread that processes uploaded taxonomy files. A large file takes seconds, too long for the request thread. */
import type { Outcome } from '../../domain/outcome.ts';
import type { TaxonomyHead } from '../../store/port/settings.ts';
import type { SentFile } from '../files/take-upload.ts';
import type { ChangeGate } from '../review/rule-change.ts';
import type { TaxonomyPreview } from './preview-taxonomy.ts';

export interface TaxonomyFiles {
  preview(sent: SentFile, gate?: ChangeGate): Promise<Outcome<TaxonomyPreview>>;
  /** `source` tells people where the file came from. */
  import(sent: SentFile, source: string, gate?: ChangeGate): Promise<Outcome<TaxonomyHead>>;
}
