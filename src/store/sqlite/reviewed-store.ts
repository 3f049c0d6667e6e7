/** A link of the chain of classes. */
import { SqliteImageStore } from './image-store.ts';

export class SqliteReviewedStore extends SqliteImageStore {}
