// Mistakes in `sort`, `rescore`, `collapse` and other members of a search are told in Elasticsearch's words: what 7.10.2 answered, without
// lines and columns.
import { test } from 'node:test';
import { checkRefusals } from './refused-requests.ts';

/** The types of the error and of its root cause, the reason, and the body. */
const REFUSED = String.raw`
x_content_parse_exception x_content_parse_exception | [field_sort] failed to parse field [order] | {"sort":[{"n":{"order":"up"}}]}
x_content_parse_exception x_content_parse_exception | [field_sort] order doesn't support values of type: VALUE_NUMBER | {"sort":[{"n":{"order":7}}]}
x_content_parse_exception x_content_parse_exception | [field_sort] failed to parse field [mode] | {"sort":[{"n":{"mode":"x"}}]}
x_content_parse_exception x_content_parse_exception | [field_sort] missing doesn't support values of type: START_OBJECT | {"sort":[{"n":{"missing":{}}}]}
search_phase_execution_exception number_format_exception | For input string: "x" | {"sort":[{"n":{"missing":"x"}}]}
search_phase_execution_exception illegal_argument_exception | No mapper found for type [] | {"sort":[{"x":{"unmapped_type":""}}]}
x_content_parse_exception x_content_parse_exception | [field_sort] unmapped_type doesn't support values of type: VALUE_NUMBER | {"sort":[{"n":{"unmapped_type":7}}]}
x_content_parse_exception x_content_parse_exception | [field_sort] failed to parse field [numeric_type] | {"sort":[{"n":{"numeric_type":"x"}}]}
x_content_parse_exception x_content_parse_exception | [field_sort] numeric_type doesn't support values of type: VALUE_NULL | {"sort":[{"n":{"numeric_type":null}}]}
search_phase_execution_exception query_shard_exception | [numeric_type] option cannot be set on a non-numeric field, got keyword | {"sort":[{"tag":{"numeric_type":"long"}}]}
x_content_parse_exception x_content_parse_exception | [field_sort] nested doesn't support values of type: VALUE_STRING | {"sort":[{"n":{"nested":"parts"}}]}
search_phase_execution_exception query_shard_exception | [nested] nested object under path [poster] is not of nested type | {"sort":[{"n":{"nested":{"path":"poster"}}}]}
search_phase_execution_exception query_shard_exception | [nested] failed to find nested object under path [x] | {"sort":[{"n":{"nested":{"path":"x"}}}]}
x_content_parse_exception x_content_parse_exception | [field_sort] failed to parse field [nested] | {"sort":[{"parts.v":{"nested":{"path":"parts","wrong":1}}}]}
x_content_parse_exception parsing_exception | unknown query [nobody] | {"sort":[{"parts.v":{"nested":{"path":"parts","filter":{"nobody":{}}}}}]}
x_content_parse_exception x_content_parse_exception | [field_sort] nested_filter doesn't support values of type: VALUE_NUMBER | {"sort":[{"parts.v":{"nested_path":"parts","nested_filter":7}}]}
x_content_parse_exception x_content_parse_exception | [field_sort] unknown field [ignore_unmapped] | {"sort":[{"n":{"ignore_unmapped":true}}]}
search_phase_execution_exception query_shard_exception | we only support AVG, MEDIAN and SUM on number based fields | {"sort":[{"_id":{"mode":"median"}}]}
search_phase_execution_exception query_shard_exception | [numeric_type] option cannot be set on a non-numeric field, got _id | {"sort":[{"_id":{"numeric_type":"long"}}]}
search_phase_execution_exception query_shard_exception | we only support AVG, MEDIAN and SUM on number based fields | {"sort":[{"_index":{"mode":"avg"}}]}
parsing_exception parsing_exception | Unknown key for a VALUE_NUMBER in [rescore]. | {"rescore":7}
parsing_exception parsing_exception | missing rescore type | {"rescore":[{}]}
parsing_exception parsing_exception | unexpected token [VALUE_NULL] after [window_size] | {"rescore":{"window_size":null,"query":{"rescore_query":{"match_all":{}}}}}
parsing_exception parsing_exception | rescore doesn't support [wrong] | {"rescore":{"wrong":1}}
named_object_not_found_exception named_object_not_found_exception | unknown field [wrong] | {"rescore":{"wrong":{}}}
parsing_exception parsing_exception | rescore doesn't support [query] | {"rescore":{"query":7}}
illegal_argument_exception illegal_argument_exception | rescore_query cannot be null | {"rescore":{"query":{}}}
x_content_parse_exception x_content_parse_exception | [query] rescore_query doesn't support values of type: VALUE_NUMBER | {"rescore":{"query":{"rescore_query":7}}}
x_content_parse_exception x_content_parse_exception | [query] unknown field [wrong] | {"rescore":{"query":{"rescore_query":{"match_all":{}},"wrong":1}}}
x_content_parse_exception x_content_parse_exception | [query] failed to parse field [score_mode] | {"rescore":{"query":{"rescore_query":{"match_all":{}},"score_mode":"x"}}}
x_content_parse_exception x_content_parse_exception | [query] failed to parse field [query_weight] | {"rescore":{"query":{"rescore_query":{"match_all":{}},"query_weight":"x"}}}
x_content_parse_exception parsing_exception | unknown query [nobody] | {"rescore":{"query":{"rescore_query":{"nobody":{}}}}}
search_phase_execution_exception negative_array_size_exception | -1 | {"rescore":{"window_size":-1,"query":{"rescore_query":{"match_all":{}}}}}
x_content_parse_exception x_content_parse_exception | [collapse] field doesn't support values of type: VALUE_NUMBER | {"collapse":{"field":7}}
x_content_parse_exception x_content_parse_exception | [collapse] unknown field [wrong] | {"collapse":{"field":"tag","wrong":1}}
x_content_parse_exception x_content_parse_exception | [collapse] failed to parse field [max_concurrent_group_searches] | {"collapse":{"field":"tag","max_concurrent_group_searches":0}}
x_content_parse_exception x_content_parse_exception | [collapse] inner_hits doesn't support values of type: VALUE_NULL | {"collapse":{"field":"tag","inner_hits":null}}
illegal_argument_exception illegal_argument_exception | Field name cannot be null | {"collapse":{"field":"tag","inner_hits":{}}}
x_content_parse_exception parsing_exception | Invalid token in inner_hits array | {"collapse":{"field":"tag","inner_hits":[7]}}
x_content_parse_exception x_content_parse_exception | [inner_hits] failed to parse field [size] | {"collapse":{"field":"tag","inner_hits":{"size":-1}}}
x_content_parse_exception parsing_exception | Invalid token in the inner collapse | {"collapse":{"field":"tag","inner_hits":{"collapse":{"field":"n","inner_hits":{}}}}}
parsing_exception parsing_exception | Unknown key for a VALUE_NUMBER in [ext]. | {"ext":7}
parsing_exception parsing_exception | Unknown key for a START_ARRAY in [script_fields]. | {"script_fields":[]}
parsing_exception parsing_exception | Expected [START_OBJECT] in [a] but found [VALUE_NUMBER] | {"script_fields":{"a":7}}
`;

test('the first mistake in a member of a search is told by type and words', () =>
  checkRefusals('ref', REFUSED, (body) => body));
