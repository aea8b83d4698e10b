declare global {
  // Of the page, not of this module: the setup file and the tests may load two copies of it.
  var errorsOnPurpose: RegExp[] | undefined
}

/** Lets the running test write errors to the console that match; for faults made on purpose. */
export function expectErrors(pattern: RegExp): void {
  globalThis.errorsOnPurpose ??= []
  globalThis.errorsOnPurpose.push(pattern)
}

/** The patterns of the test that just ran; forgets them. */
export function takeExpectedErrors(): RegExp[] {
  const patterns = globalThis.errorsOnPurpose ?? []
  globalThis.errorsOnPurpose = undefined
  return patterns
}
