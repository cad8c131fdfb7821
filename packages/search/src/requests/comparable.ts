// Removes from an answer what differs between equal requests: times and random names.

/** Returns the answer without these. */
export function comparable(text: string): string {
  return (
    text
      .replaceAll(
        /"(?:took|time_in_nanos|initialize|build_leaf_collector|collect|post_collection|build_aggregation|reduce|query_total|fetch_total|memory_in_bytes)":\d+/g,
        '',
      )
      .replaceAll(/"(?:(?:index[._]|translog_|history_)?(?:uuid|creation_date)|_scroll_id|pit_id)":"[^"]*"/g, '')
      // Of nodes, recoveries and unassigned copies.
      .replaceAll(
        /"(?:timestamp|since|start_time_in_millis)":\d{13}|"at":"\d{4}-[^"]*"(?=,"(?:delayed|last_allocation_status)")|(?<=a\[id=)\w+(?=\])|(?<=Hot threads at )\S+/g,
        '',
      )
      .replaceAll(/"(?:allocation_id|commit)":\{"id":"[^"]*"/g, '')
      // An id that a write without one was given.
      .replaceAll(/"_id":"[\w-]{20}"(?=,"_version":1,"result":"created")/g, '')
      // An index by name and identity, in the words of an error.
      .replaceAll(/(?<=\[[^/[\]"]+)\/[\w-]{22}(?=\])/g, '')
  );
}
