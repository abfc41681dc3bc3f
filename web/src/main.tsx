import './mantine.css'
import './styles/index.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { router } from './routes.tsx'
import { pageNonce } from './nonce.ts'
import { contrast, theme } from './theme.ts'
import { ToastArea } from './ui/toasts.tsx'

const root = document.querySelector('#root')
if (root === null) throw new Error('the page has no place for the console')

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={contrast}
      defaultColorScheme="auto"
      getStyleNonce={pageNonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <ToastArea />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
