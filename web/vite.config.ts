import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/**
 * The first pages come in two files instead of thirty: what sign-in needs, and what Home and its frame need beside it.
 * Every other page is a file of its own. `shell.routes.ts` knows the second by its name.
 */
const groups = [
  { name: 'base', test: /web\/src\/(main|pages\/sign-in\/sign-in-page)\.tsx$/ },
  { name: 'home', test: /web\/src\/(shell\/shell|pages\/home\/home-page)\.tsx$/ },
]

/** `npm run build` writes `dist`, which the server serves at /console. `npx vite web` is for working on it. */
export default defineConfig({
  base: '/console/',
  plugins: [react()],
  // The placeholder would be put on the page's own tags as well, which our policy admits by where they come from.
  build: {
    target: 'es2023',
    sourcemap: false,
    chunkSizeWarningLimit: 600,
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
  server: { proxy: { '/console/api': 'http://127.0.0.1:8080' } },
})
