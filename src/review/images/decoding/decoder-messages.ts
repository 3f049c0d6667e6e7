/** Messages between the server and its decoder processes. File bytes go through the decoder's standard input. */
import type { ImageFindings } from '../check-results.ts';
import type { KnownSample } from '../marks/find-marks.ts';
import type { SampleRaster } from '../marks/make-sample.ts';

export type ToDecoder =
  | {
      readonly kind: 'check';
      readonly file_bytes: number;
      readonly memory_bytes_max: number;
      /** Logos and watermarks to find; `make`: makes a sample of the file instead of checking it. */
      readonly samples: readonly KnownSample[] | 'make';
    }
  /** The requested memory is granted. */
  | { readonly kind: 'granted' };

export type DecoderWork = Extract<ToDecoder, { kind: 'check' }>;
export type DecoderResult = Extract<FromDecoder, { kind: 'checked' | 'made' }>;

export type FromDecoder =
  | { readonly kind: 'ready' }
  | { readonly kind: 'needs'; readonly memory_bytes: number }
  | { readonly kind: 'checked'; readonly findings: ImageFindings }
  | { readonly kind: 'made'; readonly sample: SampleRaster | null }
  /** The decoder used more memory than granted, and exits. */
  | { readonly kind: 'overran'; readonly memory_bytes: number };
