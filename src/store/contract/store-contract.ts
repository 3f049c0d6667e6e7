/** The contract of the store port, as tests: every adapter passes all of it, in a suite of its own. */
import { copyContract } from './copy-contract.ts';
import { endedContract } from './ended-contract.ts';
import { exceptionsContract } from './exceptions-contract.ts';
import { groupContract } from './group-contract.ts';
import { inventoryContract } from './inventory-contract.ts';
import { keyContract } from './key-contract.ts';
import { lifecycleContract } from './lifecycle-contract.ts';
import { listContract } from './list-contract.ts';
import { merchantContract } from './merchant-contract.ts';
import { moveContract } from './move-contract.ts';
import { numberContract } from './number-contract.ts';
import { portalUserContract } from './portal-user-contract.ts';
import { priceContract } from './price-contract.ts';
import { setupVersionContract } from './setup-version-contract.ts';
import { skuContract } from './sku-contract.ts';
import type { CreateDatabase } from './subject.ts';
import { sharedStore } from './subject.ts';
import { taxonomyContract } from './taxonomy-contract.ts';
import { workContract } from './work-contract.ts';

export function storeContract(createDatabase: CreateDatabase): void {
  const store = sharedStore(createDatabase);
  skuContract(store);
  priceContract(store);
  inventoryContract(store);
  exceptionsContract(store);
  groupContract(store);
  listContract(store);
  merchantContract(store);
  portalUserContract(store);
  moveContract(createDatabase);
  copyContract(createDatabase);
  keyContract(store, createDatabase);
  setupVersionContract(createDatabase);
  endedContract(createDatabase);
  taxonomyContract(createDatabase);
  workContract(createDatabase);
  numberContract(store, createDatabase);
  lifecycleContract(store, createDatabase);
}
