// What two answers about the same may differ in, left out: times, and names that are random.

/** An answer without it. */
export function comparable(text: string): string {
  return text
    .replaceAll(
      /"(?:took|time_in_nanos|initialize|build_leaf_collector|collect|post_collection|build_aggregation|reduce|query_total|fetch_total|memory_in_bytes)":\d+/g,
      '',
    )
    .replaceAll(/"(?:(?:index\.)?(?:uuid|creation_date)|_scroll_id|pit_id)":"[^"]*"/g, '')
    .replaceAll(/"(?:allocation_id|commit)":\{"id":"[^"]*"/g, '');
}
