/** In charge of the part of the store that has pictures, their queue and their users: reads are of the reader thread. */
import type { FailedTry, ImageLimits, ImageStore, ImageUser, StoredImage, WantedImage } from '../port/images.ts';
import type { OfferReference } from '../port/review.ts';
import { lengthOfAll, slicesOf } from './slices.ts';
import { SqliteWatchedStore } from './watched-store.ts';

export class SqliteImageStore extends SqliteWatchedStore implements ImageStore {
  readImages(addresses: readonly string[]): Promise<readonly StoredImage[]> {
    return this.scanner.call('readImages', [addresses], lengthOfAll(addresses));
  }

  readFailedTries(addresses: readonly string[]): Promise<readonly FailedTry[]> {
    return this.scanner.call('readFailedTries', [addresses], lengthOfAll(addresses));
  }

  async wantImages(wants: readonly ImageUser[], pause_ms?: number): Promise<void> {
    for (const slice of slicesOf(wants)) {
      await this.writer.callBehind('wantImages', [slice, pause_ms], lengthOfImageUsers(slice));
    }
  }

  async noteImageUsers(users: readonly ImageUser[]): Promise<void> {
    for (const slice of slicesOf(users)) {
      await this.writer.callBehind('noteImageUsers', [slice], lengthOfImageUsers(slice));
    }
  }

  async forgetImageUsers(users: readonly ImageUser[]): Promise<void> {
    for (const slice of slicesOf(users)) {
      await this.writer.callBehind('forgetImageUsers', [slice], lengthOfImageUsers(slice));
    }
  }

  takeImages(limits: ImageLimits, lease_ms: number): Promise<readonly WantedImage[]> {
    return this.writer.callBehind('takeImages', [limits, lease_ms], 0);
  }

  beginAlone({ address, fence }: WantedImage, lease_ms: number): Promise<boolean> {
    return this.writer.call('beginAlone', [address, fence, lease_ms], address.length);
  }

  delayImage({ address, fence }: WantedImage, delay_ms: number, failedTry?: string): Promise<void> {
    const characters = address.length + (failedTry?.length ?? 0);
    return this.writer.call('delayImage', [address, fence, delay_ms, failedTry], characters);
  }

  storeImage({ address, fence }: WantedImage, found: StoredImage, isOther = false): Promise<readonly OfferReference[]> {
    return this.writer.call('storeImage', [address, fence, found, isOther], address.length + found.evidence.length);
  }

  forgetWaiting(
    { address, fence }: WantedImage,
    offers: readonly OfferReference[],
  ): Promise<readonly OfferReference[]> {
    const characters = offers.reduce((sum, { skuId }) => sum + skuId.length, address.length);
    return this.writer.callBehind('forgetWaiting', [address, fence, offers], characters);
  }

  dropUnusedImages(beforeMs: number, after: Uint8Array, limit: number): Promise<Uint8Array | undefined> {
    return this.writer.callBehind('dropUnusedImages', [beforeMs, after, limit], 0);
  }

  readImageFigures(): Promise<{ readonly waiting: number; readonly oldestWait_ms: number }> {
    return this.scanner.call('readImageFigures', [], 0);
  }
}

function lengthOfImageUsers(users: readonly ImageUser[]): number {
  return users.reduce((sum, { address, skuId }) => sum + address.length + skuId.length, 0);
}
