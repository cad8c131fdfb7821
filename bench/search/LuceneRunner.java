// The other side of `npm run bench -- search … --lucene JARS`: Lucene 8 behind a line protocol on standard input and output, so that
// the bench can take turns with it. Started as `java -cp JARS LuceneRunner.java`; every answer is one line of JSON.
//
//   index FLAT DIR      FLAT: name, section, maintainer, installed_size, body, source, separated by \u0001, line ends in the body as \u0002
//   open DIR TSV        TSV: class, query
//   turn CLASS PASSES   runs every query of the class so many times over; the nanoseconds of each, but for the first pass
//   memory              the process's highest resident memory in MB
import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.StringJoiner;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.SortedNumericDocValuesField;
import org.apache.lucene.document.SortedSetDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.OrdinalMap;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.index.SortedSetDocValues;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.Collector;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.LeafCollector;
import org.apache.lucene.search.MultiCollector;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.Scorable;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.SortedNumericSortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopScoreDocCollector;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.LongValues;
import org.apache.lucene.util.packed.PackedInts;

public class LuceneRunner {
  private IndexSearcher searcher;
  private OrdinalMap sections;
  private final Map<String, List<String>> queries = new LinkedHashMap<>();

  public static void main(String[] args) throws Exception {
    LuceneRunner runner = new LuceneRunner();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split("\t");
      switch (words[0]) {
        case "index":
          System.out.println(index(words[1], words[2]));
          break;
        case "open":
          System.out.println(runner.open(words[1], words[2]));
          break;
        case "turn":
          System.out.println(runner.turn(words[1], Integer.parseInt(words[2])));
          break;
        case "memory":
          System.out.println(highestMemory());
          break;
        default:
          throw new IllegalArgumentException(line);
      }
    }
  }

  private static long highestMemory() throws IOException {
    for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
      if (line.startsWith("VmHWM")) return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024;
    }
    return -1;
  }

  private static String index(String flat, String folder) throws IOException {
    Path path = Paths.get(folder);
    IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer());
    config.setRAMBufferSizeMB(64);
    config.setMergeScheduler(new SerialMergeScheduler());
    config.setUseCompoundFile(false);
    long started = System.nanoTime();
    int docs = 0;
    try (IndexWriter writer = new IndexWriter(FSDirectory.open(path), config);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(new FileInputStream(flat), StandardCharsets.UTF_8), 1 << 20)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] f = line.split("\u0001", 6);
        Document doc = new Document();
        doc.add(new StringField("name", f[0], Field.Store.NO));
        doc.add(new StringField("section", f[1], Field.Store.NO));
        doc.add(new SortedSetDocValuesField("section", new BytesRef(f[1])));
        doc.add(new StringField("maintainer", f[2], Field.Store.NO));
        doc.add(new SortedSetDocValuesField("maintainer", new BytesRef(f[2])));
        long size = Long.parseLong(f[3]);
        doc.add(new LongPoint("installed_size", size));
        doc.add(new SortedNumericDocValuesField("installed_size", size));
        doc.add(new TextField("body", f[4].replace('\u0002', '\n'), Field.Store.NO));
        doc.add(new StoredField("_source", new BytesRef(f[5])));
        doc.add(new StoredField("name", f[0]));
        writer.addDocument(doc);
        docs++;
      }
      writer.commit();
    }
    double seconds = (System.nanoTime() - started) / 1e9;
    double processor = ProcessHandle.current().info().totalCpuDuration().get().toNanos() / 1e9;
    long bytes = 0;
    for (File file : path.toFile().listFiles()) bytes += file.length();
    return String.format(
        "{\"docs\":%d,\"seconds\":%.3f,\"processor\":%.3f,\"bytes\":%d,\"memory\":%d}",
        docs, seconds, processor, bytes, highestMemory());
  }

  private String open(String folder, String file) throws IOException {
    DirectoryReader reader = DirectoryReader.open(FSDirectory.open(Paths.get(folder)));
    searcher = new IndexSearcher(reader);
    searcher.setQueryCache(null);
    searcher.setSimilarity(new BM25Similarity());
    SortedSetDocValues[] parts = new SortedSetDocValues[reader.leaves().size()];
    for (int i = 0; i < parts.length; i++) parts[i] = reader.leaves().get(i).reader().getSortedSetDocValues("section");
    // Global ordinals, as Elasticsearch keeps them.
    sections = OrdinalMap.build(null, parts, PackedInts.DEFAULT);
    for (String line : Files.readAllLines(Paths.get(file))) {
      String[] parsed = line.split("\t");
      queries.computeIfAbsent(parsed[0], key -> new ArrayList<>()).add(parsed[1]);
    }
    return "{\"segments\":" + parts.length + "}";
  }

  private static Query query(String kind, String text) {
    String[] words = text.split(" ");
    switch (kind) {
      case "or":
      case "or_stop":
      case "and":
        {
          BooleanQuery.Builder builder = new BooleanQuery.Builder();
          BooleanClause.Occur occur = kind.equals("and") ? BooleanClause.Occur.MUST : BooleanClause.Occur.SHOULD;
          for (String word : words) builder.add(new TermQuery(new Term("body", word)), occur);
          return builder.build();
        }
      case "phrase":
        return new PhraseQuery("body", words);
      case "prefix":
        return new PrefixQuery(new Term("body", text));
      case "fuzzy":
        return new FuzzyQuery(new Term("body", text), 1, 0, 50, true);
      default:
        return new TermQuery(new Term("body", text));
    }
  }

  private String turn(String kind, int passes) throws IOException {
    StringJoiner times = new StringJoiner(",", "[", "]");
    for (int pass = 0; pass < passes; pass++) {
      for (String text : queries.get(kind)) {
        long started = System.nanoTime();
        Query query = query(kind, text);
        if (kind.equals("sort")) {
          searcher.search(query, 10, new Sort(new SortedNumericSortField("installed_size", SortField.Type.LONG, true)));
        } else if (kind.equals("agg")) {
          aggregate(query);
        } else {
          searcher.search(query, 10);
        }
        long taken = System.nanoTime() - started;
        if (pass > 0 || passes == 1) times.add(Long.toString(taken));
      }
    }
    return times.toString();
  }

  /** The ten best, and the ten sections with the most hits. */
  private void aggregate(Query query) throws IOException {
    TopScoreDocCollector top = TopScoreDocCollector.create(10, 1000);
    int[] counts = new int[(int) sections.getValueCount()];
    Collector counting =
        new Collector() {
          public ScoreMode scoreMode() {
            return ScoreMode.COMPLETE_NO_SCORES;
          }

          public LeafCollector getLeafCollector(LeafReaderContext context) throws IOException {
            SortedDocValues values = DocValues.unwrapSingleton(context.reader().getSortedSetDocValues("section"));
            LongValues global = sections.getGlobalOrds(context.ord);
            return new LeafCollector() {
              public void setScorer(Scorable scorer) {}

              public void collect(int doc) throws IOException {
                if (values.advanceExact(doc)) counts[(int) global.get(values.ordValue())]++;
              }
            };
          }
        };
    searcher.search(query, MultiCollector.wrap(top, counting));
    top.topDocs();
    PriorityQueue<int[]> most = new PriorityQueue<>((x, y) -> x[1] - y[1]);
    for (int ordinal = 0; ordinal < counts.length; ordinal++) {
      if (counts[ordinal] == 0) continue;
      most.add(new int[] {ordinal, counts[ordinal]});
      if (most.size() > 10) most.poll();
    }
  }
}
