import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** `npm run build` writes `dist`, which the server serves at /console. `npx vite web` is for working on it. */
export default defineConfig({
  base: '/console/',
  plugins: [react()],
  // The placeholder would be put on the page's own tags as well, which our policy admits by where they come from.
  build: { target: 'es2023', sourcemap: false, chunkSizeWarningLimit: 600, assetsInlineLimit: 0 },
  server: { proxy: { '/console/api': 'http://127.0.0.1:8080' } },
})
