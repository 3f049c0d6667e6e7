/**
 * Resolves the portal's alias `#domain/` in Node.js, as its build does. A test imports this file, and then loads a module of the portal
 * with `import()`, because the names of static imports are resolved first.
 */
import { registerHooks } from 'node:module';

const ALIAS = '#domain/';
const DOMAIN = new URL('../../src/domain/', import.meta.url);

registerHooks({
  resolve: (name, context, next) =>
    next(name.startsWith(ALIAS) ? new URL(name.slice(ALIAS.length), DOMAIN).href : name, context),
});
