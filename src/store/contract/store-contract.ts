/** The contract of the store port, as tests: every adapter passes all of it. */
import { exceptionsContract } from './exceptions-contract.ts';
import { groupContract } from './group-contract.ts';
import { inventoryContract } from './inventory-contract.ts';
import { keyContract } from './key-contract.ts';
import { lifecycleContract } from './lifecycle-contract.ts';
import { listContract } from './list-contract.ts';
import { merchantContract } from './merchant-contract.ts';
import { priceContract } from './price-contract.ts';
import { setupVersionContract } from './setup-version-contract.ts';
import { skuContract } from './sku-contract.ts';
import type { CreateDatabase } from './subject.ts';

export function storeContract(createDatabase: CreateDatabase): void {
  skuContract(createDatabase);
  priceContract(createDatabase);
  inventoryContract(createDatabase);
  exceptionsContract(createDatabase);
  groupContract(createDatabase);
  listContract(createDatabase);
  merchantContract(createDatabase);
  keyContract(createDatabase);
  setupVersionContract(createDatabase);
  lifecycleContract(createDatabase);
}
