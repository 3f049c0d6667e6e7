/** The commands of the product catalog, the offers that use each product, and news about products. */
import * as news from './news.ts';
import * as products from './products.ts';
import * as users from './users.ts';

export const catalog = { ...products, ...users, ...news };
