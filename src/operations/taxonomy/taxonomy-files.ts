/** Where taxonomy files that are sent to a server are worked on: beside the requests, since a large one takes seconds. */
import type { Outcome } from '../../domain/outcome.ts';
import type { TaxonomyHead } from '../../store/port/settings.ts';
import type { SentFile } from '../files/take-upload.ts';
import type { TaxonomyPreview } from './preview-taxonomy.ts';

export interface TaxonomyFiles {
  preview(sent: SentFile): Promise<Outcome<TaxonomyPreview>>;
  /** `source` says where it came from, for people. */
  import(sent: SentFile, source: string): Promise<Outcome<TaxonomyHead>>;
}
