/** `npm run docs`: writes the generated docs. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorExamplesPage } from './error-examples.ts';
import { generatedDocs, ROOT } from './generated-docs.ts';

for (const [file, text] of generatedDocs()) writeFileSync(path.join(ROOT, file), text);
writeFileSync(path.join(ROOT, 'docs/reference/error-examples.md'), await errorExamplesPage());
