// Prints the one line that closes a test run: `N passed, N failed, N skipped`. Counts test cases, not suites.
export default async function* summaryReporter(source) {
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details?.type === 'suite') continue;
    if (data.skip !== undefined) skipped += 1;
    else if (type === 'test:fail' && data.todo === undefined) failed += 1;
    else if (data.todo === undefined) passed += 1;
  }
  yield `\n${passed} passed, ${failed} failed, ${skipped} skipped\n`;
}
