/** In charge of which reads the reader thread takes: those that look at many SKUs, for lists and for the review. */
import type { Environment } from '../../domain/account.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { DueOffer, OfferReference, StoredImage } from '../review-port.ts';
import { CatalogReads } from './catalog.ts';
import type { Connection } from './engine.ts';
import { ImageReads } from './images.ts';
import { OfferScans } from './offer-scans.ts';
import { ReviewReads } from './review-reads.ts';

export class ReaderService extends OfferScans {
  readonly #reviews: ReviewReads;
  readonly #catalog: CatalogReads;
  readonly #images: ImageReads;

  constructor(connection: Connection) {
    super(connection);
    this.#reviews = new ReviewReads(connection);
    this.#catalog = new CatalogReads(connection);
    this.#images = new ImageReads(connection);
  }

  readDueOffers(accountId: number, limit: number): DueOffer[] {
    return this.#reviews.readDueOffers(accountId, limit);
  }

  readShoeGroup(accountId: number, shoeKey: string, limit: number): string[] {
    return this.#reviews.readShoeGroup(accountId, shoeKey, limit);
  }

  readReviewFigures(): { due: number; oldestDue_ms: number } {
    return this.#reviews.readReviewFigures();
  }

  readProducts(environment: Environment, codes: readonly CatalogCode[]): readonly KnownProduct[] {
    return this.#catalog.readProducts(environment, codes);
  }

  readSharedCodes(environment: Environment, codes: readonly CatalogCode[]): readonly CatalogCode[] {
    return this.#catalog.readSharedCodes(environment, codes);
  }

  readCatalogUsers(
    environment: Environment,
    code: CatalogCode,
    after: OfferReference | undefined,
    limit: number,
  ): readonly OfferReference[] {
    return this.#catalog.readUsers(environment, code, after, limit);
  }

  readImages(addresses: readonly string[]): readonly StoredImage[] {
    return this.#images.readAll(addresses);
  }

  readImageFigures(): { waiting: number; oldestWait_ms: number } {
    return this.#images.figures(Date.now());
  }
}
