/** For tests that take long to show what they show: `npm run test:long` runs them, and CI does. */
export const LONG = {
  skip: process.env['LONG'] === undefined ? 'takes long: npm run test:long runs it, as CI does' : false,
}
