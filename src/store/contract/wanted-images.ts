/** Steps that the image contracts share: request images, take them, store results. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { ImageEvidence } from '../../domain/vocabulary/image-failures.ts';
import type { ImageLimits, StoredImage, WantedImage } from '../port/images.ts';
import type { SkuKey } from '../port/offers.ts';
import type { Store } from '../port.ts';
import { NOW_MS } from './subject.ts';

/** Longer than any test takes. */
export const LONG_MS = 600_000;
/** The duration of leases whose expiry a test waits for. */
export const SHORT_MS = 30;

export const OFFER: SkuKey = { accountId: 7, skuId: 'shirt é' };
export const ADDRESS = 'https://shop.example/a.jpg';

export function atMost(limit: number, perHost: number, perAccount = 1_000): ImageLimits {
  return { limit, perHost, perAccount };
}

export function at(host: string, count: number): string[] {
  return Array.from({ length: count }, (_, place) => `https://${host}.example/${place}.jpg`);
}

/** Returns evidence that only the store reads, so that a note is enough. */
export function evidenceOf(note: string): ImageEvidence {
  return { note } as unknown as ImageEvidence;
}

export function foundAt(address: string, note = 'good'): StoredImage {
  return { address, evidence: evidenceOf(note), reviewedMs: NOW_MS, etag: '"é-1"' };
}

export async function only(store: Store, lease_ms = LONG_MS, perHost = 9): Promise<WantedImage> {
  const [image, ...others] = await store.images.takeImages(atMost(1, perHost), lease_ms);
  assert.ok(image, 'An image must be due.');
  assert.deepEqual(others, []);
  return image;
}

/** Takes one image, polling until one is due. The test's timeout ends an endless loop. */
export async function untilTaken(store: Store, lease_ms = LONG_MS): Promise<WantedImage> {
  for (;;) {
    const [image] = await store.images.takeImages(atMost(1, 1), lease_ms);
    if (image !== undefined) return image;
  }
}

/** Requests an image later than the previous ones, so that it is due after them. */
export async function wantApart(store: Store, address: string, offer = OFFER): Promise<void> {
  await pause(3);
  await store.images.wantImages([{ ...offer, address }]);
  await pause(3);
}

export async function reviewed(store: Store, address: string, found: StoredImage): Promise<void> {
  await store.images.wantImages([{ ...OFFER, address }]);
  const image = await only(store);
  assert.deepEqual(await store.images.storeImage(image, found), [OFFER]);
  assert.deepEqual(await store.images.forgetWaiting(image, [OFFER]), []);
}

export async function finish(store: Store, image: WantedImage): Promise<void> {
  const waiting = await store.images.storeImage(image, foundAt(image.address));
  assert.deepEqual(await store.images.forgetWaiting(image, waiting), []);
}

export function addressesOf(images: readonly WantedImage[]): string[] {
  return images.map(({ address }) => address);
}

export function hostsOf(images: readonly WantedImage[]): string[] {
  return images.map(({ address }) => new URL(address).hostname.replace('.example', ''));
}
