#!/usr/bin/env node
import { run } from './run.mjs'

run('cli/src/main', process.argv.slice(2))
