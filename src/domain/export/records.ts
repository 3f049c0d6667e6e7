/** Defines the records of an export: a merchant, the settings of its accounts, its offers and variation groups. */
import type { Credential, FulfillmentNode, Merchant } from '../account.ts';
import type { GroupUpload, ShownOffer, StoredInventory, StoredPrice } from '../offers/part.ts';

/** An offer with all its parts. */
export interface OfferRecord extends Omit<ShownOffer, 'documentTag' | 'group'> {
  readonly skuId: string;
  readonly firstUploadMs: number;
  readonly documentUpdatedMs: number;
  readonly price: StoredPrice | null;
  readonly inventory: StoredInventory;
}

/** A variation group with its parent. */
export interface GroupRecord extends GroupUpload {
  readonly skuId: string;
}

/** A merchant without its accounts. */
export type MerchantRecord = Omit<Merchant, 'unfinished' | 'accounts'>;

export type CredentialRecord = Omit<Credential, 'credentialId' | 'accountId' | 'lastUsedMs'>;

/** The settings of one account. */
export interface AccountRecord {
  readonly accountId: number;
  /** In order of creation. */
  readonly credentials: readonly CredentialRecord[];
  /** In order of id. */
  readonly nodes: readonly FulfillmentNode[];
  readonly returnLocationIds: readonly string[];
}
