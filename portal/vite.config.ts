/** Configures the build from src/ to dist/, which the server serves at /portal/. */
import { createReadStream, createWriteStream, globSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** URLs in the page are relative to `<base>`, so that the portal works under any path. */
export default defineConfig({
  base: './',
  plugins: [react(), compressed()],
  resolve: {
    alias: [
      // The server's vocabulary. `tsconfig.json` has the same alias.
      { find: /^#domain/, replacement: path.join(import.meta.dirname, '../src/domain') },
      // The packages for spreadsheets would start workers from blob: URLs, which the page's policy forbids.
      { find: /^fflate$/, replacement: path.join(import.meta.dirname, 'src/api/sheets/zip-without-workers.ts') },
    ],
  },
  build: {
    outDir: 'dist',
    assetsDir: 'assets',
    target: 'es2023',
    // A small file inside a stylesheet would be a data: URL, which the page's policy allows for images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Puts the code that every page needs into one file. Split into many small files, it would be 6 KB larger after compression.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'base', tags: ['$initial'] }] } } },
    // In kB, for the script of the first load. A test limits the compressed size of the whole first load.
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { '/portal/api': 'http://127.0.0.1:8080', '/files': 'http://127.0.0.1:8080' } },
});

/** Writes a `.gz` copy of each script, stylesheet and SVG file, so that the server need not compress them. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    enforce: 'post',
    async writeBundle({ dir = 'dist' }) {
      const files = globSync('assets/*.{js,css,svg}', { cwd: dir }).map((file) => path.join(dir, file));
      await Promise.all(
        files.map((file) =>
          pipeline(createReadStream(file), createGzip({ level: 9 }), createWriteStream(`${file}.gz`)),
        ),
      );
    },
  };
}
