#!/usr/bin/env node
import { run } from './run.mjs'

// As `npm start` has them.
const FLAGS = ['--v8-pool-size=1', '--min-semi-space-size=16', '--max-semi-space-size=16']

const [first, ...rest] = process.argv.slice(2)
if (first === undefined || (first === 'start' && rest.length === 0)) run('src/app/main', [], FLAGS)
else run('src/cli/main', process.argv.slice(2))
