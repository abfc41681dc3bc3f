import { createRequire } from 'node:module'
import type * as Undici from 'undici'

/** The parts of undici that make a connection. The whole of it brings fetch, caches and WebSockets: 90 files more at each start. */
const require = createRequire(import.meta.url)

export const Client = require('undici/lib/dispatcher/client.js') as typeof Undici.Client
export const buildConnector = require('undici/lib/core/connect.js') as typeof Undici.buildConnector
export const { ClientClosedError } = require('undici/lib/core/errors.js') as typeof Undici.errors
