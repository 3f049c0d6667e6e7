/**
 * Replaces the asynchronous functions of fflate in the build, so that they run on the page's own thread. fflate's workers are blob:
 * scripts, which the page's policy forbids.
 */
import { type UnzipOptions, type Unzipped, unzipSync, type Zippable, zipSync } from 'fflate/browser';

export * from 'fflate/browser';

type Done<T> = (error: Error | null, result: T) => void;

export function unzip(data: Uint8Array, options: UnzipOptions | Done<Unzipped>, done?: Done<Unzipped>): void {
  if (typeof options === 'function') finish(() => unzipSync(data), options);
  else if (done !== undefined) finish(() => unzipSync(data, options), done);
}

export function zip(data: Zippable, done: Done<Uint8Array>): void {
  finish(() => zipSync(data), done);
}

function finish<T>(work: () => T, done: Done<T>): void {
  let result: T;
  try {
    result = work();
  } catch (error) {
    done(error as Error, undefined as T);
    return;
  }
  done(null, result);
}
