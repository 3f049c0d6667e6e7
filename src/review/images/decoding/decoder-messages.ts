/** Messages between the server and its decoder processes. File bytes go through the decoder's standard input. */
import type { ImageFindings } from '../check-results.ts';

export type ToDecoder =
  | { readonly kind: 'check'; readonly file_bytes: number; readonly memory_bytes_max: number }
  /** The requested memory is granted. */
  | { readonly kind: 'granted' };

export type FromDecoder =
  | { readonly kind: 'ready' }
  | { readonly kind: 'needs'; readonly memory_bytes: number }
  | { readonly kind: 'checked'; readonly findings: ImageFindings }
  /** The decoder used more memory than granted, and exits. */
  | { readonly kind: 'overran'; readonly memory_bytes: number };
