/** What the first count is made of. */
export const firstText = 'Plan our trip by train, please: 3 days, from Basel to Trieste. '.repeat(
  20,
)
