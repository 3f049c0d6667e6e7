/** What a server and its decoder processes say to each other. The bytes of a file go through the decoder's standard input. */
import type { ImageFindings } from '../check-results.ts';

export type ToDecoder =
  | { readonly kind: 'check'; readonly file_bytes: number; readonly memory_bytes_max: number }
  /** The memory that it asked for is its own now. */
  | { readonly kind: 'granted' };

export type FromDecoder =
  | { readonly kind: 'ready' }
  | { readonly kind: 'needs'; readonly memory_bytes: number }
  | { readonly kind: 'checked'; readonly findings: ImageFindings }
  /** It takes more memory than it was granted, and ends. */
  | { readonly kind: 'overran'; readonly memory_bytes: number };
